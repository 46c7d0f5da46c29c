#!/usr/bin/python3
"""Writes data/claims.csv, the table of `wald demo`: 300 made-up insurance contracts, the same on every run.

The chance of a claim rises with age, weight and smoking, and a little in the south; the premium follows the same
causes with noise. A few cells are missing, as they would be."""
import math
import pathlib
import random

REGIONS = ["north", "east", "south", "west"]
draw = random.Random(20240501)


def contract(number):
    age = int(min(84, max(18, draw.gauss(46, 15))))
    region = draw.choices(REGIONS, [3, 2, 3, 2])[0]
    smoker = draw.random() < 0.24
    bmi = min(44.0, max(16.5, draw.gauss(26.5, 4.2)))
    children = draw.choices(range(5), [40, 25, 22, 9, 4])[0]
    plan = draw.choices(["basic", "plus", "complete"], [5, 3, 2])[0]
    strain = 0.055 * (age - 45) + 1.7 * smoker + 0.16 * max(0, bmi - 29) + 0.45 * (region == "south")
    strain += 1.1 * (smoker and age > 50)
    claim = draw.random() < 1 / (1 + math.exp(1.55 - strain))
    premium = 210 + 3.1 * (age - 18) + 118 * smoker + 5.5 * max(0, bmi - 25) + 18 * children
    premium *= {"basic": 1.0, "plus": 1.22, "complete": 1.5}[plan] * math.exp(draw.gauss(0, 0.06))
    cells = [f"P-{10000 + number}", str(age), region, "yes" if smoker else "no", f"{bmi:.1f}", str(children), plan,
             f"{premium:.2f}", "yes" if claim else "no"]
    for column, share in ((1, 0.02), (4, 0.06), (3, 0.015)):
        if draw.random() < share: cells[column] = ""
    return ",".join(cells)


lines = ["policy_id,age,region,smoker,bmi,children,plan,premium,claim"] + [contract(i) for i in range(1, 301)]
path = pathlib.Path(__file__).resolve().parent.parent / "data" / "claims.csv"
path.write_text("\n".join(lines) + "\n", encoding="utf-8")
