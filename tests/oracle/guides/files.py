"""Small files of the names and forms that guides get with tf.keras.utils.get_file."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

_WORDS = (
    "sing goddess the anger of a king that brought many ships to the shore and "
    "sent brave men down while the long spears fell and the high walls stood"
).split()
_CODE = "def list print string new void this class return import int for".split()


def _lines(seed: int, count: int, words: list[str] = _WORDS) -> str:
    draw = np.random.default_rng(seed)
    rows = (" ".join(draw.choice(words, draw.integers(3, 9))) for _ in range(count))
    return "\n".join(row.capitalize() for row in rows) + "\n"


def _columns(seed: int, count: int, kinds: dict[str, object]) -> str:
    """A table: of each column a list of choices or a range of numbers."""
    draw = np.random.default_rng(seed)
    made = []
    for kind in kinds.values():
        if isinstance(kind, list):
            made.append([str(x) for x in draw.choice(kind, count)])
        elif isinstance(kind[0], int):
            made.append([str(x) for x in draw.integers(*kind, count)])
        else:
            made.append([f"{x:.4f}" for x in draw.uniform(*kind, count)])
    rows = [",".join(kinds), *(",".join(row) for row in zip(*made, strict=True))]
    return "\n".join(rows) + "\n"


_PASSENGER = {
    "survived": (0, 2), "sex": ["male", "female"], "age": (1.0, 70.0),
    "n_siblings_spouses": (0, 4), "parch": (0, 3), "fare": (5.0, 90.0),
    "class": ["First", "Second", "Third"], "deck": ["A", "B", "C", "unknown"],
    "embark_town": ["Southampton", "Cherbourg", "Queenstown"],
    "alone": ["y", "n"],
}
_PATIENT = {
    "age": (29, 77), "sex": (0, 2), "cp": (0, 5), "trestbps": (94, 200),
    "chol": (126, 400), "fbs": (0, 2), "restecg": (0, 3), "thalach": (71, 202),
    "exang": (0, 2), "oldpeak": (0.0, 6.0), "slope": (1, 4), "ca": (0, 4),
    "thal": ["fixed", "normal", "reversible"], "target": (0, 2),
}
_SHELL = {
    "Length": (0.1, 0.8), "Diameter": (0.1, 0.6), "Height": (0.0, 0.3),
    "Whole weight": (0.1, 2.5), "Shucked weight": (0.1, 1.2),
    "Viscera weight": (0.0, 0.7), "Shell weight": (0.0, 0.9), "Age": (1, 29),
}
_PET = {
    "Type": ["Cat", "Dog"], "Age": (1, 90), "Breed1": ["Tabby", "Mixed Breed"],
    "Gender": ["Male", "Female"], "Color1": ["Black", "White", "Brown"],
    "Color2": ["Gray", "No Color"], "MaturitySize": ["Small", "Medium", "Large"],
    "FurLength": ["Short", "Long"], "Vaccinated": ["Yes", "No", "Not Sure"],
    "Sterilized": ["Yes", "No"], "Health": ["Healthy", "Minor Injury"],
    "Fee": (0, 200), "Description": ["friendly", "quiet"], "PhotoAmt": (0, 9),
    "AdoptionSpeed": (0, 5),
}
_CARD = {
    "Time": (0, 100000), **{f"V{i}": (-2.0, 2.0) for i in range(1, 29)},
    "Amount": (0.0, 300.0), "Class": [0, 0, 0, 0, 1],
}
_IRIS = {
    "120": (4.0, 8.0), "4": (2.0, 4.5), "setosa": (1.0, 7.0),
    "versicolor": (0.1, 2.5), "virginica": (0, 3),
}


def _beats() -> str:
    draw = np.random.default_rng(8)
    rows = []
    for i in range(300):
        normal = i % 5 < 3
        wave_ = np.sin(np.linspace(0, 6 if normal else 9, 140))
        values = wave_ + 0.1 * draw.normal(size=140)
        rows.append(",".join(f"{x:.5f}" for x in values) + f",{float(normal)}")
    return "\n".join(rows) + "\n"


TABLES = {
    "titanic/train.csv": lambda: _columns(1, 300, _PASSENGER),
    "titanic/eval.csv": lambda: _columns(2, 100, _PASSENGER),
    "heart.csv": lambda: _columns(3, 303, _PATIENT),
    "abalone_train.csv": lambda: _columns(4, 400, _SHELL).partition("\n")[2],
    "creditcard.csv": lambda: _columns(6, 900, _CARD),
    "petfinder-mini.csv": lambda: _columns(5, 400, _PET),
    "iris_training.csv": lambda: _columns(7, 120, _IRIS),
    "iris_test.csv": lambda: _columns(8, 30, _IRIS),
    "ecg.csv": _beats,
    "shakespeare.txt": lambda: _lines(9, 900),
    "cowper.txt": lambda: _lines(11, 300),
    "derby.txt": lambda: _lines(12, 300),
    "butler.txt": lambda: _lines(13, 300),
    "ImageNetLabels.txt": lambda: "\n".join(f"kind {i}" for i in range(1001)),
}


def picture(seed: int, height: int = 96, width: int = 128) -> np.ndarray:
    """Waves and some noise, three bytes to a pixel."""
    draw = np.random.default_rng(3 + seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = [
        np.sin(x / (9 + 3 * c + seed % 4)) * np.cos(y / (7 + 2 * c)) for c in range(3)
    ]
    noise = draw.normal(size=(height, width, 3))
    values = 0.5 + 0.35 * np.stack(waves, -1) + 0.05 * noise
    return np.clip(np.rint(255 * values), 0, 255).astype(np.uint8)


def _write_picture(path: Path, seed: int) -> None:
    from PIL import Image

    Image.fromarray(picture(seed)).save(path, format="JPEG")


def _flowers(folder: Path) -> None:
    for i, kind in enumerate(["daisy", "dandelion", "roses", "sunflowers", "tulips"]):
        into = folder / "flower_photos" / kind
        into.mkdir(parents=True)
        for j in range(16):
            _write_picture(into / f"{j:05}_{kind}.jpg", i + 4 * j)
    (folder / "flower_photos" / "LICENSE.txt").write_text("none\n")


def _cats_and_dogs(folder: Path) -> None:
    for i, kind in enumerate(["cats", "dogs"]):
        for part, count in (("train", 24), ("validation", 40)):
            into = folder / "cats_and_dogs_filtered" / part / kind
            into.mkdir(parents=True)
            for j in range(count):
                _write_picture(into / f"{kind}.{j}.jpg", i + 2 * j)


def _reviews(folder: Path) -> None:
    for part in ("train", "test"):
        for i, kind in enumerate(["neg", "pos", "unsup"]):
            if part == "test" and kind == "unsup":
                continue
            into = folder / "aclImdb" / part / kind
            into.mkdir(parents=True)
            for j in range(60):
                text = _lines(1000 * i + j, 3, _WORDS[9 * (i % 2) :][:14])
                (into / f"{j}_{i}.txt").write_text(text.replace("\n", "<br />"))


def _questions(folder: Path) -> None:
    for part in ("train", "test"):
        for i, kind in enumerate(["csharp", "java", "javascript", "python"]):
            into = folder / part / kind
            into.mkdir(parents=True)
            for j in range(40):
                (into / f"{j}.txt").write_text(_lines(100 * i + j, 3, _CODE[2 * i :]))


def _commands(folder: Path) -> None:
    spoken = ["down", "go", "left", "no", "right", "stop", "up", "yes"]
    for i, kind in enumerate(spoken):
        into = folder / "mini_speech_commands" / kind
        into.mkdir(parents=True)
        for j in range(24):
            draw = np.random.default_rng(100 * i + j)
            # Not all of them last a second.
            t = np.arange(16000 - 500 * (j % 3)) / 16000
            sound = 9000 * np.sin(2 * np.pi * (200 + 150 * i) * t)
            sound = sound + 300 * draw.normal(size=t.size)
            with wave.open(str(into / f"{j}_nohash.wav"), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(16000)
                file.writeframes(sound.astype("<i2").tobytes())
    (folder / "mini_speech_commands" / "README.md").write_text("none\n")


def _pets(folder: Path) -> None:
    into = folder / "petfinder-mini"
    into.mkdir(parents=True)
    (into / "petfinder-mini.csv").write_text(TABLES["petfinder-mini.csv"]())


def _weather(folder: Path) -> None:
    folder.mkdir(parents=True)
    names = [
        "p (mbar)", "T (degC)", "Tpot (K)", "Tdew (degC)", "rh (%)",
        "VPmax (mbar)", "VPact (mbar)", "VPdef (mbar)", "sh (g/kg)",
        "H2OC (mmol/mol)", "rho (g/m**3)", "wv (m/s)", "max. wv (m/s)", "wd (deg)",
    ]
    draw = np.random.default_rng(10)
    rows = ['"Date Time",' + ",".join(f'"{name}"' for name in names)]
    for i in range(6 * 24 * 40):
        day, minutes = divmod(10 * (i + 1), 24 * 60)
        month, day = divmod(day, 28)
        warm = 9 + 6 * np.sin(2 * np.pi * i / 144)
        values = warm + np.arange(len(names)) + 0.3 * draw.normal(size=len(names))
        date = f"{day + 1:02}.{month + 1:02}.2009"
        clock = f"{minutes // 60:02}:{minutes % 60:02}:00"
        rows.append(f"{date} {clock}," + ",".join(f"{x:.2f}" for x in values))
    text = "\n".join(rows) + "\n"
    (folder / "jena_climate_2009_2016.csv").write_text(text)


def _signs(tf, path: Path) -> None:
    """Records as of the street signs of France."""
    import io

    from PIL import Image

    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(12):
            image = io.BytesIO()
            Image.fromarray(picture(i, 24, 96)).save(image, format="PNG")
            text = f"Rue {i}".encode()
            values = {"image/text": text, "image/encoded": image.getvalue()}
            feature = {
                key: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
                for key, value in values.items()
            }
            features = tf.train.Features(feature=feature)
            writer.write(tf.train.Example(features=features).SerializeToString())


_ARCHIVES = {
    "flower_photos": _flowers,
    "cats_and_dogs": _cats_and_dogs,
    "aclImdb": _reviews,
    "stack_overflow_16k": _questions,
    "mini_speech_commands": _commands,
    "petfinder": _pets,
    "jena_climate": _weather,
}


def get_file_for(tf):
    def get_file(
        fname=None, origin=None, untar=False, cache_dir=None,
        cache_subdir="datasets", extract=False, **_,
    ):
        name = fname or origin.rsplit("/", 1)[-1]
        # Where Keras says ~/.keras, the guide's own folder.
        folder = Path(cache_dir or ".keras").absolute() / cache_subdir
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / Path(name).name
        for start, make in _ARCHIVES.items():
            if (extract or untar) and path.name.startswith(start):
                path = folder / f"{path.name.split('.')[0]}_extracted"
                if not path.exists():
                    make(path)
                return str(path)
        for end, make in TABLES.items():
            if origin.endswith(end):
                path.write_text(make())
                return str(path)
        if "fsns" in name:
            _signs(tf, path)
        elif name.endswith("mnist.npz"):
            keras = tf.keras.datasets.mnist.load_data()
            (x_train, y_train), (x_test, y_test) = keras
            np.savez(
                path, x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test
            )
        elif path.suffix in (".jpg", ".png") or "sunflower" in name:
            _write_picture(path, len(name))
        else:
            raise ValueError(f"nothing stands in for {origin}")
        return str(path)

    return get_file
