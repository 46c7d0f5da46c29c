#!/usr/bin/Rscript
# Writes tests/expected/rpart_surrogates.json: rpart's trees with surrogate splits on tables of data/ in which cell (row i,
# column j, both from 0) is missing where (7 i + 13 j) %% 10 == 0. Run in the top folder with Debian's r-base-core and
# r-cran-rpart (4.1.19 made the committed file). Numbers only: of categories that version asks for two rows that disagree
# where it means two rows on either side.
library(rpart)
digits <- function(v) paste(trimws(formatC(v, digits = 17, format = "g")), collapse = ", ")
cases <- list(
  list(table = "glass", target = "Type", method = "class", minbucket = 9),
  list(table = "diabetes_progression", target = "progression", method = "anova", minbucket = 15))
out <- c()
for (case in cases) {
  data <- read.csv(paste0("data/", case$table, ".csv"), check.names = FALSE, stringsAsFactors = TRUE)
  y <- data[[case$target]]
  if (case$method == "class") y <- factor(y)
  x <- data[setdiff(names(data), case$target)]
  for (j in seq_along(x)) x[(7 * (seq_len(nrow(x)) - 1) + 13 * (j - 1)) %% 10 == 0, j] <- NA
  names(x) <- paste0("x", seq_along(x) - 1)
  fit <- rpart(y ~ ., cbind(y = y, x), method = case$method, control = rpart.control(
    minsplit = 2 * case$minbucket, minbucket = case$minbucket, cp = -1, maxcompete = 0, maxsurrogate = 5,
    usesurrogate = 2, surrogatestyle = 1, xval = 0))
  inner <- which(fit$frame$var != "<leaf>")
  at <- cumsum(c(1, 1 + fit$frame$nsurrogate[inner]))
  column <- as.integer(sub("x", "", rownames(fit$splits)))
  nodes <- sapply(seq_along(inner), function(i) {
    s <- seq_len(at[i + 1] - at[i] - 1) + at[i]
    sprintf('{"rows": %d, "column": %d, "threshold": %s, "surrogates": [%s]}', fit$frame$n[inner[i]], column[at[i]],
      digits(fit$splits[at[i], "index"]), paste(sprintf('{"column": %d, "threshold": %s, "agreement": %s}', column[s],
        sapply(fit$splits[s, "index"], digits), sapply(fit$splits[s, "improve"], digits)), collapse = ", "))
  })
  says <- if (case$method == "class") as.vector(t(predict(fit))) else predict(fit)
  out <- c(out, sprintf('{"table": "%s", "target": "%s", "min_leaf": %d,\n"nodes": [%s],\n"says": [%s]}', case$table,
    case$target, case$minbucket, paste(nodes, collapse = ",\n"), digits(says)))
}
writeLines(c("[", paste(out, collapse = ",\n"), "]"), "tests/expected/rpart_surrogates.json")
