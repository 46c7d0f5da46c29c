"""The pages' Python runs and prints what they say."""
import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "tools"))
import expect  # noqa: E402

BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.S | re.M)


class Pages(unittest.TestCase):
    def check(self, page, shell=True):
        text = (ROOT / page).read_text(encoding="utf-8")
        blocks = [(text.count("\n", 0, m.start()) + 1, m[1], m[2].strip(), m[3]) for m in BLOCK.finditer(text)]
        folder, before = tempfile.mkdtemp(), os.getcwd()
        for table in (ROOT / "data").glob("*.csv"): shutil.copy(table, folder)
        names = {"__name__": "page"}
        os.chdir(folder)
        try:
            for (line, kind, mark, code), after in zip(blocks, blocks[1:] + [(0, "", "", "")]):
                printed = io.StringIO()
                if kind == "sh" and mark != "skip" and shell:
                    status, said = expect.run("set -e\n" + code, folder, os.environ["WALD_BUILD"] + "/bin/wald")
                    self.assertEqual(status, 0, f"{page}:{line}: {said}")
                if kind != "python" or mark == "skip": continue
                with contextlib.redirect_stdout(printed): exec(compile(code, f"{page}:{line}", "exec"), names)
                if after[1] == "text":
                    self.assertTrue(expect.matches(after[3].splitlines(), printed.getvalue()),
                                    f"{page}:{line}:\n" + expect.difference(after[3].splitlines(), printed.getvalue()))
        finally:
            os.chdir(before)
            shutil.rmtree(folder)

    def test_the_guide_is_true(self): self.check("docs/guide/python.md")

    def test_the_first_page_is_true(self): self.check("README.md", shell=False)


class Installing(unittest.TestCase):
    def test_pip_installs_the_checkout_into_a_virtual_environment_without_the_network(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", folder], check=True)
        alone = ["unshare", "--map-root-user", "--net"]  # where the kernel lets us, there is no network at all
        if subprocess.run([*alone, "true"], capture_output=True).returncode: alone = []
        made = subprocess.run([*alone, sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "--no-index",
                               "--disable-pip-version-check", ROOT], env=environment, capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
        said = subprocess.run([folder / "bin/python", "-c", "import wald; print(wald.__file__, wald.train('data/golf.csv', "
                               "'play', learner='c45').classes)"], env=environment, cwd=ROOT, capture_output=True, text=True)
        self.assertIn(f"{folder}/lib", said.stdout, said.stderr)
        self.assertIn("['no', 'yes']", said.stdout)
        asked = subprocess.run([folder / "bin/python", "-c", "import wald; print(wald.run('version')['version'] == wald.__version__)"],
                               env=environment, cwd=ROOT, capture_output=True, text=True)
        self.assertIn("True", asked.stdout, asked.stderr)
        self.assertTrue(os.access(folder / "bin/wald", os.X_OK))
        package = pathlib.Path(said.stdout.split()[0]).parent
        self.assertTrue((package / "py.typed").exists())
        compile((package / "__init__.pyi").read_text(), "stubs", "exec")
        shutil.rmtree(folder)
