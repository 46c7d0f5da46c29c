# Trains rpart on TRAIN, predicts TEST: Rscript bench/trees.R TRAIN TEST TARGET class|anova CATEGORIES OUT default|full
# CATEGORIES: names joined by \x1f. Writes OUT (one prediction a line) and prints nodes and the seconds of rpart().
library(rpart)
given <- commandArgs(TRUE)
read <- function(path) read.csv(path, check.names = FALSE, colClasses = NA, na.strings = "", stringsAsFactors = FALSE)
train <- read(given[1]); test <- read(given[2]); target <- given[3]
words <- strsplit(given[5], "\x1f", fixed = TRUE)[[1]]
frame <- function(data) {
  out <- data[setdiff(names(data), target)]
  for (n in names(out)) if (n %in% words || is.character(out[[n]]) || is.logical(out[[n]])) out[[n]] <- as.character(out[[n]])
  out
}
x <- frame(train); held <- frame(test)
for (n in names(x)) if (is.character(x[[n]])) {  # the levels of both, so that prediction knows them
  all <- sort(unique(c(x[[n]], as.character(held[[n]]))))
  x[[n]] <- factor(x[[n]], levels = all); held[[n]] <- factor(as.character(held[[n]]), levels = all)
}
y <- train[[target]]; if (given[4] == "class") y <- factor(y)
plain <- paste0("x", seq_along(x)); names(x) <- plain; names(held) <- plain
how <- if (given[7] == "full") rpart.control(cp = 0, minsplit = 4, minbucket = 2) else rpart.control()
time <- system.time(fit <- rpart(y ~ ., cbind(y = y, x), method = given[4], control = how))[["user.self"]]
if (given[7] == "full") fit <- prune(fit, cp = fit$cptable[which.min(fit$cptable[, "xerror"]), "CP"])
said <- if (given[4] == "class") as.character(predict(fit, held, type = "class")) else predict(fit, held)
writeLines(as.character(said), given[6])
cat(nrow(fit$frame), time, "\n")
