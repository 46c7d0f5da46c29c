#!/usr/bin/Rscript
# Writes tests/expected/rpart_tables.json: rpart's cp tables on tables of data/, with row i (from 0) in fold i %% 10.
# Run in the top folder with Debian's r-base-core and r-cran-rpart (4.1.19 made the committed file).
library(rpart)
digits <- function(v) paste(trimws(formatC(v, digits = 17, format = "g")), collapse = ", ")
cases <- list(
  list(table = "iris", target = "class", method = "class", minbucket = 5, turn = TRUE),
  list(table = "glass", target = "Type", method = "class", minbucket = 7, turn = FALSE),
  list(table = "tic_tac_toe", target = "Class", method = "class", minbucket = 5, turn = TRUE),
  list(table = "diabetes_progression", target = "progression", method = "anova", minbucket = 12, turn = TRUE))
out <- c()
for (case in cases) {
  data <- read.csv(paste0("data/", case$table, ".csv"), check.names = FALSE, stringsAsFactors = TRUE)
  y <- data[[case$target]]
  if (case$method == "class") y <- factor(y)
  x <- data[setdiff(names(data), case$target)]
  # A value equal to a threshold goes left in Wald and right in rpart: turned around, they agree. (But then of equal
  # splits the last is taken instead of the first; no table here needs both.)
  if (case$turn) for (n in names(x)) if (is.numeric(x[[n]])) x[[n]] <- -x[[n]]
  names(x) <- paste0("x", seq_along(x))
  frame <- cbind(y = y, x)
  fit <- rpart(y ~ ., frame, method = case$method, control = rpart.control(
    minsplit = 2 * case$minbucket, minbucket = case$minbucket, cp = 0, maxcompete = 0, maxsurrogate = 0,
    usesurrogate = 0, xval = (seq_len(nrow(frame)) - 1) %% 10 + 1))
  t <- fit$cptable
  root <- fit$frame$dev[1] / nrow(frame)  # rpart's tables are relative to the root's risk
  out <- c(out, sprintf('{"table": "%s", "target": "%s", "min_leaf": %d, "alpha": [%s], "leaves": [%s], "risk": [%s], "loss": [%s], "error": [%s]}',
    case$table, case$target, case$minbucket, digits(rev(t[, "CP"]) * root), digits(rev(t[, "nsplit"]) + 1),
    digits(rev(t[, "rel error"]) * root), digits(rev(t[, "xerror"]) * root), digits(rev(t[, "xstd"]) * root)))
}
writeLines(c("[", paste(out, collapse = ",\n"), "]"), "tests/expected/rpart_tables.json")
