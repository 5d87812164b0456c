# SPDX-License-Identifier: Apache-2.0
# Copyright the prov authors
#
# scikit-learn: training with four processes, and a prediction
# imports sklearn joblib
# derives model.pkl from points.csv
# derives answers.csv from model.pkl points.csv
awk 'BEGIN { srand(2); for (i = 0; i < 300; i++) { x = rand(); y = rand(); print x "," y "," (x > y) } }' >points.csv
cat >train.py <<'END'
import csv, pickle
import joblib
from sklearn.ensemble import RandomForestClassifier
rows = [[float(v) for v in row] for row in csv.reader(open("points.csv"))]
x, y = [r[:2] for r in rows], [r[2] for r in rows]
trees = joblib.Parallel(n_jobs=4)(
    joblib.delayed(RandomForestClassifier(5, random_state=n).fit)(x, y) for n in range(4))
with open("model.pkl", "wb") as f:
    pickle.dump(trees, f)
print([t.score(x, y) for t in trees])
END
cat >ask.py <<'END'
import csv, pickle
x = [[float(v) for v in row[:2]] for row in csv.reader(open("points.csv"))]
trees = pickle.load(open("model.pkl", "rb"))
csv.writer(open("answers.csv", "w")).writerows(zip(*(t.predict(x) for t in trees)))
END
/usr/bin/python3 train.py
/usr/bin/python3 ask.py
