"""Datasets of what is in files on both modules: values, order, the class of
errors and where they come, cardinality and specs."""

from __future__ import annotations

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python" / "data"))

import file_programs as programs  # noqa: E402


def same(both, program, *args):
    """Both modules tell the same of a program."""
    mine, theirs = (program(tf, *args) for tf in (both.ours, both.theirs))
    assert mine == theirs


def facts(dataset):
    return (
        programs.told(dataset),
        str(dataset.element_spec),
        int(dataset.cardinality()),
    )


RECORDS = [
    ("plain", None),
    ("gzip", "GZIP"),
    ("zlib", "ZLIB"),
    ("gzip", None),
    ("plain", "GZIP"),
    ("plain", "ZLIB"),
    ("within_the_data", None),
    ("within_the_header", None),
    ("length", None),
    ("first_data", None),
    ("second_data", None),
    ("check_of_length", None),
    ("huge", None),
    ("empty", None),
    ("empty", "GZIP"),
    ("gzip_twice", "GZIP"),
    ("gzip_cut", "GZIP"),
    ("gzip_and_more", "GZIP"),
    ("zlib_twice", "ZLIB"),
    ("zlib_cut", "ZLIB"),
    ("missing", None),
]


@pytest.mark.parametrize(("name", "compression"), RECORDS)
def test_records(both, tmp_path, name, compression):
    programs.records(both.theirs, tmp_path)

    def program(tf):
        files = [str(tmp_path / name), str(tmp_path / "plain")]
        found = [facts(tf.data.TFRecordDataset(files[0], compression))]
        if compression is None:
            found.append(facts(tf.data.TFRecordDataset(files)))
        return found

    same(both, program)


def test_both_write_the_same_bytes(both, tmp_path):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir(), theirs.mkdir()
    assert programs.records(both.ours, mine) == programs.records(both.theirs, theirs)


@pytest.mark.parametrize("reads", [None, 1, 2, 3, -1])
@pytest.mark.parametrize("kind", ["TFRecord", "TextLine", "FixedLengthRecord"])
def test_several_files(both, tmp_path, kind, reads):
    for name, content in programs.TEXTS.items():
        (tmp_path / name).write_bytes(content)
    programs.records(both.theirs, tmp_path)
    names = {
        "TFRecord": ["plain", "empty", "plain"],
        "TextLine": ["lines", "ended", "nothing", "ended"],
        "FixedLengthRecord": ["fixed", "nothing", "fixed"],
    }[kind]
    files = [str(tmp_path / name) for name in names]

    def program(tf):
        make = getattr(tf.data, kind + "Dataset")
        more = {"record_bytes": 3} if kind.startswith("Fixed") else {}
        of_dataset = tf.data.Dataset.from_tensor_slices(files)
        return [
            facts(make(given, num_parallel_reads=reads, **more))
            for given in (files, [files], of_dataset, files[0])
        ]

    same(both, program)


TEXT_CALLS = [
    ("TextLine", "lines", {}),
    ("TextLine", "ended", {"buffer_size": 1}),
    ("TextLine", "nothing", {}),
    ("TextLine", "gz", {"compression_type": "GZIP"}),
    ("TextLine", "zl", {"compression_type": "ZLIB"}),
    ("TextLine", "lines", {"compression_type": "GZIP"}),
    ("TextLine", "lines", {"compression_type": "other"}),
    ("TextLine", "lines", {"buffer_size": -1}),
    ("TextLine", "missing", {}),
    ("TextLine", "lines", {"buffer_size": 0}),
    ("FixedLengthRecord", "fixed", {"record_bytes": 3}),
    (
        "FixedLengthRecord",
        "fixed",
        {"record_bytes": 3, "header_bytes": 1, "footer_bytes": 2},
    ),
    (
        "FixedLengthRecord",
        "fixed",
        {"record_bytes": 4, "header_bytes": 1, "footer_bytes": 2},
    ),
    ("FixedLengthRecord", "fixed", {"record_bytes": 3, "header_bytes": 99}),
    ("FixedLengthRecord", "fixed", {"record_bytes": 0}),
    ("FixedLengthRecord", "fixed", {"record_bytes": 3, "header_bytes": -1}),
    ("FixedLengthRecord", "fixed", {"record_bytes": 3, "footer_bytes": -1}),
    ("FixedLengthRecord", "missing", {"record_bytes": 3}),
    (
        "FixedLengthRecord",
        "fixed_gz",
        {
            "record_bytes": 3,
            "header_bytes": 1,
            "footer_bytes": 2,
            "compression_type": "GZIP",
        },
    ),
    (
        "FixedLengthRecord",
        "fixed_gz",
        {
            "record_bytes": 4,
            "header_bytes": 1,
            "footer_bytes": 2,
            "compression_type": "GZIP",
        },
    ),
]


@pytest.mark.parametrize(("kind", "name", "arguments"), TEXT_CALLS)
def test_lines_and_records_of_one_length(both, tmp_path, kind, name, arguments):
    for known, content in programs.TEXTS.items():
        (tmp_path / known).write_bytes(content)

    def program(tf):
        make = getattr(tf.data, kind + "Dataset")
        return facts(make(str(tmp_path / name), **arguments))

    same(both, program)


@pytest.mark.parametrize("filenames", [[1], 2.0, "range", "rows"])
def test_what_is_no_name(both, filenames):
    def program(tf):
        given = {
            "range": tf.data.Dataset.range(2),
            "rows": tf.data.Dataset.from_tensors(["a"]),
        }.get(str(filenames), filenames)
        with pytest.raises(TypeError) as raised:
            tf.data.TextLineDataset(given)
        return str(raised.value)

    same(both, program)


@pytest.mark.parametrize("seed", range(4))
def test_names_of_files(both, tmp_path, seed):
    for i in range(9):
        (tmp_path / f"a{i}").write_text("")
    pattern = str(tmp_path / "a*")

    def program(tf):
        make = tf.data.Dataset.list_files
        tf.random.set_seed(seed)
        return [
            facts(make(pattern, shuffle=False)),
            facts(make(pattern, seed=seed)),
            facts(make([pattern, pattern + "1"], shuffle=True, seed=seed).repeat(2)),
        ]

    same(both, program)


@pytest.mark.parametrize("pattern", ["none*", ["none*", "other*"], []])
def test_no_such_files(both, tmp_path, pattern):
    def program(tf):
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            tf.data.Dataset.list_files(pattern)
        return str(raised.value.message)

    same(both, program)


@pytest.mark.parametrize("case", programs.CSV, ids=lambda case: case[0])
def test_csv(both, tmp_path, case):
    _, content, letters, arguments = case
    (tmp_path / "a").write_bytes(content.encode())
    (tmp_path / "b").write_bytes(b"5,6\n")

    def program(tf):
        columns = programs.csv_columns(tf, letters)
        files = [str(tmp_path / "a"), str(tmp_path / "b")]
        make = tf.data.experimental.CsvDataset
        try:
            return [facts(make(f, columns, **arguments)) for f in (files[0], files)]
        except Exception as error:
            return type(error).__name__

    same(both, program)


MADE_CSV = {
    "all": {},
    "label": {"label_name": "x"},
    "selected": {"select_columns": ["name", "n"]},
    "selected_numbers": {"select_columns": [0, 2], "label_name": "name"},
    "defaults": {"column_defaults": [[5], [1.5], [""], ["?"]]},
    "required": {"column_defaults": ["float32", [0.0], "string", "string"]},
    "names": {"column_names": ["z", "y", "x", "w"]},
    "no_header": {"column_names": ["z", "y", "x", "w"], "header": False},
    "na": {"na_value": "NA"},
    "few_rows": {"num_rows_for_inference": 1},
    "shuffled": {"shuffle": True, "shuffle_seed": 4},
    "turns": {"num_parallel_reads": 2},
    "two_epochs": {"num_epochs": 2},
    "ignoring": {"column_defaults": ["int32"] * 4, "ignore_errors": True},
    "no_label": {"label_name": "none"},
    "no_column": {"select_columns": ["none"]},
    "column_twice": {"select_columns": [0, 0]},
    "no_number": {"select_columns": [9]},
    "too_few_defaults": {"select_columns": [0, 1], "column_defaults": [[0]]},
    "no_names": {"header": False},
    "same_names": {"column_names": ["a", "a", "b", "c"]},
}


@pytest.mark.parametrize("name", MADE_CSV)
def test_made_csv_datasets(both, tmp_path, name):
    rows = 'n,x,name,wide\n1,0.5,a,3\n2,NA,b,99999999999\n,2,"c",1e300\n'
    (tmp_path / "a.csv").write_text(rows)
    (tmp_path / "b.csv").write_text("n,x,name,wide\n4,4,d,0\n5,5,e,0\n")
    arguments = {"num_epochs": 1, "shuffle": False} | MADE_CSV[name]

    def program(tf):
        given = dict(arguments)
        if "column_defaults" in given:
            given["column_defaults"] = [
                getattr(tf, x) if isinstance(x, str) else x
                for x in given["column_defaults"]
            ]
        make = tf.data.experimental.make_csv_dataset
        try:
            return facts(make(str(tmp_path / "*.csv"), 2, **given))
        except ValueError as error:
            return type(error).__name__

    same(both, program)


def test_dataset_of_records_written(both, tmp_path):
    def program(tf):
        path = str(tmp_path / tf.__name__.split(".")[0])
        write = tf.data.experimental.TFRecordWriter
        shown = []
        for given in (
            tf.data.Dataset.from_tensor_slices(["a", "b"]),
            tf.data.Dataset.range(3),
            tf.data.Dataset.from_tensors(["a"]),
            3,
        ):
            try:
                write(path, "GZIP").write(given)
                shown.append(facts(tf.data.TFRecordDataset(path, "GZIP")))
            except TypeError as error:
                shown.append(type(error).__name__)
        return shown

    same(both, program)
