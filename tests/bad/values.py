"""Values: targets, weights, numbers at the edge, categories; and the roles of columns."""
import json

from case import GOOD, TRAIN, case, table
from tables import rows



def learns(name, *lines):
    """A pattern that nothing but the nasty values shows: the model must know every row of its own table."""
    def attempt(place):
        trained = place.wald("train", "t.csv", "--target", "y", "--learner", "cart", "-o", "m.wald")
        if trained.code: return trained
        answer = place.wald("evaluate", "m.wald", "t.csv", "--json")
        measures = json.loads(answer.text[answer.text.index("{"):])["metrics"]
        good = measures.get("accuracy") == 1 or measures.get("rmse") == 0
        return answer if good else answer.because("the model does not know its own table")
    case(name, {"t.csv": rows(*lines)}, attempt, 0, written=("m.wald",))


NUMBERS = "train t.csv --target y --task numbers -o m.wald"
WEIGHED = "train t.csv --target y --weight w -o m.wald"

# ---- targets --------------------------------------------------------------------------------------------------
table("a constant number as target", rows("a,y", "1,2.5", "2,2.5", "3,2.5"), 0, "2.5 in every row")
table("a single class", rows("a,y", "1,yes", "2,yes", "3,yes"), 0, "one class")
table("an empty label", rows("a,y", "1,u", "2,", "3,v"), 3, "'y' is missing in row 2", "--drop-missing-target")
table("labels that are not numbers", rows("a,y", "1,2.5", "2,nan", "3,7.5"), 3, "'y' is missing in row 2")
table("all labels missing", rows("a,y", "1,", "2,NA", "3,"), 3, "'y'")
table("empty labels left out on demand", rows("a,y", "1,u", "2,", "3,v"), 0, "2 rows",
      command="train t.csv --target y --drop-missing-target -o m.wald")
table("no label left after leaving out", rows("a,y", "1,", "2,"), 3, "'y'",
      command="train t.csv --target y --drop-missing-target -o m.wald")
table("an infinite label", rows("a,y", "1,2.5", "2,inf", "3,7.5"), 3, "'y' is infinite in row 2")
table("a label of minus infinity", rows("a,y", "1,2.5", "2,-Infinity", "3,7.5"), 3, "'y' is infinite in row 2")
learns("labels of 1e308", "a,y", "1,1e308", "2,-1e308", "3,1e308", "4,-1.7e308")
table("labels whose squares are beyond every double", rows("a,y", "1,1e308", "2,-1e308", "3,1.5"), 3, "row 1", "1e+308", "power of ten")
for loss, value, said in (("gamma", "0", "needs targets above 0"), ("poisson", "-2", "of 0 or more"),
                          ("tweedie", "-0.5", "of 0 or more"), ("squared", "1e200", "power of ten")):
    case(f"a target of {value} in a table to stop on, with --loss {loss}",
         {"t.csv": rows("a,y", *[f"{i},{i % 7 + 1}" for i in range(50)]), "s.csv": rows("a,y", "1,2.5", f"2,{value}", "3,4")},
         f"train t.csv --target y --loss {loss} --task numbers --stop-on s.csv -o m.wald", 3, "row 2 of s.csv", "'y'", said)
case("a table to stop on without an event", {"t.csv": rows("a,y", *[f"{i},{i % 7 - 2.5}" for i in range(50)]), "s.csv": rows("a,y", "1,-2.5", "2,-1")},
     "train t.csv --target y --loss cox --stop-on s.csv -o m.wald", 3, "s.csv has no event")
for loss in ("ndcg", "map"):
    case(f"a table to stop on without anything relevant, with --loss {loss}",
         {"t.csv": rows("q,a,y", *[f"{i // 5},{i},{i % 3}" for i in range(50)]), "s.csv": rows("q,a,y", "1,1,0", "1,2,0", "2,3,0")},
         f"train t.csv --target y --query q --loss {loss} --stop-on s.csv -o m.wald", 3, "s.csv has no row of a relevance above 0")
for learner in ("forest", "bagging", "extra-trees", "honest-forest"):
    table(f"labels whose squares are beyond every double, of {learner}", rows("a,y", *[f"{i},{i}e200" for i in range(1, 70)]), 0, unsaid=(" inf", " nan"),
          command=f"train t.csv --target y --task numbers --learner {learner} -o m.wald")


def importance_of_huge(place):
    place.wald(*"train t.csv --target y --task numbers --learner forest --trees 4 -o m.wald".split())
    return place.wald("forest", "m.wald", "t.csv", "--importance")


case("importance of labels whose squares are beyond every double", {"t.csv": rows("a,y", *[f"{i},{i}e200" for i in range(1, 70)])}, importance_of_huge, 3, "power of ten",
     written=("m.wald",))
table("a label beyond every double", rows("a,y", "1,2.5", "2,1e400", "3,7.5"), 3, "t.csv:3", "1e400")
table("labels smaller than every normal number", rows("a,y", "1,5e-324", "2,1e-310", "3,2e-308"), 0, command=NUMBERS)
table("a word among numeric labels", rows("a,y", "1,2.5", "2,much", "3,7.5"), 3, "'y'", "'much' in row 2", command=NUMBERS)
table("words where numbers are asked for", rows("a,y", "1,u", "2,v"), 3, "'y'", command=NUMBERS)
table("as many classes as rows", rows("a,y", *[f"{i},k{i}" for i in range(500)]), 0, command=TRAIN + " --learner cart")
table("classes that are numbers", rows("a,y", "1,2", "2,4", "3,2", "4,4"), 0, "2 classes")

# ---- numbers --------------------------------------------------------------------------------------------------
learns("numbers of 1e308", "a,y", "1e308,u", "-1e308,v", "1.5e308,u", "-1.5e308,v")
table("a number beyond every double", rows("a,y", "1,u", "1e400,v", "3,u"), 3, "t.csv:3", "1e400")
learns("denormal numbers", "a,y", "5e-324,u", "1e-323,v", "5e-324,u", "1e-323,v")
table("minus zero and zero", rows("a,y", "-0.0,u", "0,v", "-0,u", "0.0,v"), 0)
learns("infinite numbers", "a,y", "inf,u", "-inf,v", "inf,u", "1,v")
table("numbers beyond two to the 53", rows("a,y", "9007199254740993,u", "9007199254740992,v", "9007199254740993,u"), 0, "a")
table("hexadecimal and underscored numbers", rows("a,b,y", "0x10,1_000,u", "0x11,2_000,v"), 0)
table("a column of missing cells", rows("a,b,y", "1,,u", "2,,v", "3,NA,u"), 0, "b")
learns("a number of which only the absence tells", "a,y", "1,2.5", ",9", "2,2.5", "NA,9", "3,2.5")
learns("a category of which only the absence tells", "a,y", "k,2.5", ",9", "l,2.5", "NA,9", "m,2.5")
learns("an infinite number that tells alone", "a,y", "1,2.5", "inf,9", "2,2.5", "inf,9", "3,2.5")
learns("minus infinity that tells alone", "a,y", "1,2.5", "-inf,9", "2,2.5", "-inf,9", "3,2.5")
table("nothing but missing cells", rows("a,b,y", ",,u", "NA,?,v", "null,-,u"), 0)
table("a constant column", rows("a,b,y", "1,7,u", "2,7,v", "3,7,u"), 0)
table("the usual words for missing", rows("a,b,y", "1,x,u", "NA,N/A,v", "null,?,u", "NaN,-,v", "4,y,u"), 0)
table("a column unlike every row", rows("id,a,y", *[f"k{i},{i % 5},{'uv'[i % 2]}" for i in range(60)]), 0, "id", "--keep")
table("dates", rows("day,a,y", *[f"2024-01-{1 + i % 9:02},{i % 5},{'uv'[i % 2]}" for i in range(60)]), 0, "day")
table("a thousand levels", rows("a,b,y", *[f"l{i % 1000},{i % 7},{'uv'[i % 2]}" for i in range(3000)]), 0)

# ---- weights --------------------------------------------------------------------------------------------------
for words, value, told in (("a negative weight", "-1", "-1"), ("a weight that is no number", "nan", "'w'"),
                           ("a missing weight", "", "'w'"), ("an infinite weight", "inf", "inf"),
                           ("a word as weight", "heavy", "heavy")):
    table(words, rows("a,w,y", "1,1,u", f"2,{value},v", "3,1,u"), 3, "t.csv", "'w'", told, "row 2", command=WEIGHED)
table("weights that are all zero", rows("a,w,y", "1,0,u", "2,0,v", "3,0,u"), 3, "'w' is 0 in every row", command=WEIGHED)
table("some weights of zero", rows("a,w,y", "1,0,u", "2,1,v", "3,2,u"), 0, command=WEIGHED)
table("weights far apart", rows("a,w,y", "1,1e-300,u", "2,1,v", "3,1e300,u"), 0, command=WEIGHED)
table("weights whose sum is beyond every double", rows("a,w,y", "1,1e308,u", "2,1e308,v", "3,1e308,u"), 0, command=WEIGHED)

# ---- roles ----------------------------------------------------------------------------------------------------
DATA = {"claims.csv": GOOD}
case("a target that is not there", DATA, "train claims.csv --target clam -o m.wald", 2, "no column 'clam'", "did you mean 'claim'?")
case("a weight column that is not there", DATA, "train claims.csv --target claim --weight wait -o m.wald", 2, "no column 'wait'")
case("an ignored column that is not there", DATA, "train claims.csv --target claim --ignore regio -o m.wald", 2, "no column 'regio'", "region")
case("everything ignored", DATA, "train claims.csv --target claim --ignore age,region,premium -o m.wald", 3, "no columns to learn")
case("the target ignored", DATA, "train claims.csv --target claim --ignore claim -o m.wald", 2, "claim")
case("the target as weight", DATA, "train claims.csv --target age --weight age -o m.wald", 2, "age")
case("held-out rows of a table with one row", {"t.csv": "a,y\n1,u\n"}, TRAIN + " --holdout 0.5", 3, "one row")
