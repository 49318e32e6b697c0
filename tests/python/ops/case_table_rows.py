"""How ops that change rows of tensors, and others like them, are called; see
case_table.py."""

from __future__ import annotations

from typing import Any

from case_values import F

ROWS = {"x": F(3, 2), "i": [0, 2], "v": F(2, 2)}
NUMBERS = (
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)

TABLE: dict[str, dict[str, Any]] = {
    "InplaceUpdate": ROWS,
    "InplaceAdd": {**ROWS, "dtypes": NUMBERS},
    "InplaceSub": {**ROWS, "dtypes": NUMBERS},
    "Empty": {"shape": [2, 3], "dtype": "float32", "init": True},
    "ParallelConcat": {"values": [F(1, 2), F(1, 2)], "shape": [2, 2]},
    "ToBool": {
        "input": F(2, 3), "dtypes": [d for d in NUMBERS if d[0] != "c"],
    },
    "ScatterNdNonAliasingAdd": {
        "input": F(4, 3), "indices": [[0], [2]], "updates": F(2, 3),
    },
    "DecodeCSV": {
        "records": ["1,2,3", "4,,6"], "record_defaults": [[7], [8], [9]],
        "main": "OUT_TYPE", "dtypes": ["int32"],
    },
    "SerializeTensor": {"tensor": F(2, 3)},
    "SparseMatMul": {"a": F(2, 3), "b": F(3, 4)},
}

NOT_CALLED = {
    **dict.fromkeys(
        ("EmptyTensorMap", "TensorMapErase", "TensorMapHasKey",
         "TensorMapInsert", "TensorMapLookup", "TensorMapSize",
         "TensorMapStackKeys"),
        "takes or gives a map; tests/oracle/test_rows.py covers it",
    ),
    **dict.fromkeys(
        ("Barrier", "BarrierClose", "BarrierIncompleteSize",
         "BarrierInsertMany", "BarrierReadySize", "BarrierTakeMany"),
        "makes or takes a barrier; tests/oracle/test_barriers.py covers it",
    ),
    "ParseTensor": "takes what SerializeTensor gives; "
    "tests/oracle/test_rows.py covers it",
    "RemoteCall": "calls a function; tests/oracle/test_rows.py covers it",
    "XlaDynamicUpdateSlice": "no raw op of TensorFlow's; "
    "tests/oracle/test_rows.py covers it",
    "DeserializeManySparse": "takes what SerializeManySparse gives; "
    "tests/oracle/test_rows.py covers it",
}
VALUE_SHAPED = {"Empty"}
