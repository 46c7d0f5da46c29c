# ranger on TRAIN and TEST: Rscript bench/forest.R TRAIN TEST TARGET TREES THREADS OUT [fit]
# Writes OUT, the probabilities of the classes in ascending order of their names, and prints the seconds of fitting and of predicting. fit: nothing is measured out of bag or predicted.
library(ranger)
given <- commandArgs(TRUE)
read <- function(path) read.csv(path, check.names = FALSE, stringsAsFactors = FALSE)
train <- read(given[1]); test <- read(given[2]); target <- given[3]
trees <- as.integer(given[4]); threads <- as.integer(given[5])
for (n in setdiff(names(train), target)) if (is.character(train[[n]])) {
  all <- sort(unique(c(train[[n]], test[[n]])))
  train[[n]] <- factor(train[[n]], levels = all); test[[n]] <- factor(test[[n]], levels = all)
}
y <- factor(train[[target]], levels = sort(unique(as.character(train[[target]])), method = "radix"))
x <- train[setdiff(names(train), target)]; held <- test[setdiff(names(test), target)]
only <- length(given) > 6
fit <- system.time(model <- ranger(x = x, y = y, num.trees = trees, num.threads = threads, probability = TRUE, min.node.size = 1, seed = 1, verbose = FALSE, oob.error = !only))
if (only) { cat(fit[["elapsed"]], "\n"); quit() }
say <- system.time(p <- predict(model, held, num.threads = threads, verbose = FALSE)$predictions)
write.table(p[, levels(y)], given[6], sep = ",", row.names = FALSE, col.names = FALSE)
cat(fit[["elapsed"]], say[["elapsed"]], fit[["user.self"]], say[["user.self"]], "\n")
