# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# R: a table, a fit, a plot
# needs Rscript
# derives fit.rds from table.csv
# derives plot.svg from table.csv
awk 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 200; i++) print i "," 3 * i + rand() }' >table.csv
cat >fit.R <<'END'
t <- read.csv("table.csv")
fit <- lm(y ~ x, t)
print(summary(fit))
saveRDS(coef(fit), "fit.rds", compress = FALSE)
postscript("plot.svg", paper = "special", width = 4, height = 4)
plot(t)
invisible(dev.off())
cat(system("wc -l <table.csv", intern = TRUE), "\n")
quit(status = 4)
END
Rscript --vanilla fit.R || echo "status $?"
