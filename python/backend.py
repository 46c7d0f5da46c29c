"""The build back end of `pip install .` (PEP 517): CMake makes the extension, this packs the wheel. It needs nothing but
the standard library, so that an installation asks nothing of the network; cmake, ninja, a compiler and pybind11 come
from packages.txt."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def _project():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return {key: re.search(rf'^{key} = "(.*)"$', text, re.M)[1] for key in ("name", "version", "description", "requires-python")}


def _metadata():
    p = _project()
    return (f"Metadata-Version: 2.1\nName: {p['name']}\nVersion: {p['version']}\nSummary: {p['description']}\n"
            f"Requires-Python: {p['requires-python']}\nRequires-Dist: numpy\n")


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _build():
    """Configures and builds in a folder of its own for this interpreter; gives the package's folder."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None: raise SystemExit(f"{tool} is missing: packages.txt lists what a build needs")
    folder = ROOT / "build" / f"python-{_tag()}"
    # As the presets have it, to find what they have compiled; Python itself may have changed the locale.
    environment = os.environ | {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "true", "CCACHE_SLOPPINESS": "locale"}
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DWALD_TESTS=OFF",
                    "-DWALD_PYTHON=ON", f"-DWALD_PYTHON_EXECUTABLE={sys.executable}"], check=True, env=environment)
    subprocess.run(["cmake", "--build", folder, "-t", "wald_package", "wald_binary", "-j", os.environ.get("JOBS", str(os.cpu_count()))],
                   check=True, env=environment)
    return folder / "python" / "wald"


def _files():
    """(name in the wheel, content) of the package and of the program, which wald.run asks."""
    package, p = _build(), _project()
    for path in sorted(package.iterdir()):
        if path.is_file(): yield f"wald/{path.name}", path.read_bytes()
    yield f"{p['name']}-{p['version']}.data/scripts/wald", (package.parent.parent / "bin" / "wald").read_bytes()


def _write(folder, files):
    p = _project()
    info = f"{p['name']}-{p['version']}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: wald\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files = [*files, (f"{info}/METADATA", _metadata().encode()), (f"{info}/WHEEL", wheel.encode()),
             (f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())]
    name = f"{p['name']}-{p['version']}-{_tag()}.whl"
    record = ""
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as out:
        for path, content in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(content)}\n"
            entry = zipfile.ZipInfo(path)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o100755 if "/scripts/" in path else 0o100644) << 16
            out.writestr(entry, content)
        out.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")
    return name


def get_requires_for_build_wheel(config_settings=None): return []


def get_requires_for_build_editable(config_settings=None): return []


def get_requires_for_build_sdist(config_settings=None): return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    p = _project()
    info = pathlib.Path(metadata_directory) / f"{p['name']}-{p['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(_metadata(), encoding="utf-8")
    return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write(wheel_directory, _files())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays in the build folder; a line in site-packages points there."""
    return _write(wheel_directory, [("wald.pth", f"{_build().parent}\n".encode())])


def build_sdist(sdist_directory, config_settings=None):
    p = _project()
    stem = f"{p['name']}-{p['version']}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as out:
        for name in filter(None, listed.decode().split("\0")): out.add(ROOT / name, f"{stem}/{name}")
    return f"{stem}.tar.gz"
