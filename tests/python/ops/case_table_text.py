"""How ops of texts, sets, tables and queues are called; see case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from case_values import I64, F

PLACES = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
I32 = np.int32

# {"a": [1, 2], "c": [1.5]} and {"a": [3, 4], "c": [2.5, 3.5]}.
EXAMPLES = [
    b"\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x01\x02"
    b"\n\r\n\x01c\x12\x08\x12\x06\n\x04\x00\x00\xc0?",
    b"\n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x03\x04"
    b"\n\x11\n\x01c\x12\x0c\x12\n\n\x08\x00\x00 @\x00\x00`@",
]
EXAMPLES = [b"\n" + bytes([len(text)]) + text for text in EXAMPLES]


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def _list(key: bytes, *features: bytes) -> bytes:
    steps = b"".join(_field(1, feature) for feature in features)
    return _field(1, _field(1, key) + _field(2, steps))


# Beside those features {"d": [[1], [2]], "s": [[1.5], []]} and {"d": [[3]]}.
SEQUENCES = [
    EXAMPLES[0] + _field(2, _list(b"d", b"\x1a\x03\n\x01\x01", b"\x1a\x03\n\x01\x02")
                         + _list(b"s", b"\x12\x06\n\x04\x00\x00\xc0?", b"\x12\x00")),
    EXAMPLES[1] + _field(2, _list(b"d", b"\x1a\x03\n\x01\x03")),
]
PARSED = {
    "dense_defaults": [np.zeros(2, np.int64)], "sparse_types": ["float32"],
    "dense_shapes": [[2]], "main": "Tdense", "dtypes": ["int64"],
}

TABLE: dict[str, dict[str, Any]] = {
    # Files: these are everywhere.
    "ReadFile": {"filename": "/dev/null"},
    "WriteFile": {"filename": "/dev/null", "contents": "text"},
    "MatchingFiles": {"pattern": ["/dev/nul[l]", "/dev/zero"]},
    "ShardedFilename": {
        "basename": "/dev/null", "shard": I32(1), "num_shards": I32(3),
    },
    "ShardedFilespec": {"basename": "/dev/null", "num_shards": I32(3)},
    "ParseExample": {
        "serialized": EXAMPLES, "names": ["p", "q"], "sparse_keys": ["c"],
        "dense_keys": ["a"], **PARSED,
    },
    "ParseExampleV2": {
        "serialized": EXAMPLES, "names": ["p", "q"], "sparse_keys": ["b"],
        "dense_keys": ["a"], "ragged_keys": ["c"], **PARSED, "num_sparse": 1,
        "ragged_value_types": ["float32"], "ragged_split_types": ["int32"],
    },
    "ParseSingleExample": {
        "serialized": EXAMPLES[0], "sparse_keys": ["c"], "dense_keys": ["a"],
        **PARSED, "num_sparse": 1,
    },
    "ParseSequenceExampleV2": {
        "serialized": SEQUENCES, "debug_name": ["p", "q"],
        "context_sparse_keys": ["c"], "context_dense_keys": ["a"],
        "context_ragged_keys": ["e"], "feature_list_sparse_keys": ["s"],
        "feature_list_dense_keys": ["d"], "feature_list_ragged_keys": ["t"],
        "feature_list_dense_missing_assumed_empty": [False],
        "context_dense_defaults": [np.zeros(2, np.int64)],
        "context_sparse_types": ["float32"], "context_dense_shapes": [[2]],
        "Ncontext_sparse": 1, "Nfeature_list_sparse": 1,
        "Nfeature_list_dense": 1, "feature_list_dense_types": ["int64"],
        "feature_list_sparse_types": ["float32"],
        "context_ragged_value_types": ["string"],
        "context_ragged_split_types": ["int64"],
        "feature_list_ragged_value_types": ["float32"],
        "feature_list_ragged_split_types": ["int32"],
        "feature_list_dense_shapes": [[]], "main": "Tcontext_dense",
        "dtypes": ["int64"],
    },
    "ParseSequenceExample": {
        "serialized": SEQUENCES, "debug_name": ["p", "q"],
        "context_dense_defaults": [np.zeros(2, np.int64)],
        "feature_list_dense_missing_assumed_empty": ["d"],
        "context_sparse_keys": ["c"], "context_dense_keys": ["a"],
        "feature_list_sparse_keys": ["s"], "feature_list_dense_keys": ["d"],
        "Ncontext_sparse": 1, "Ncontext_dense": 1, "Nfeature_list_sparse": 1,
        "Nfeature_list_dense": 1, "context_sparse_types": ["float32"],
        "feature_list_dense_types": ["int64"], "context_dense_shapes": [[2]],
        "feature_list_sparse_types": ["float32"],
        "feature_list_dense_shapes": [[]], "main": "Tcontext_dense",
        "dtypes": ["int64"],
    },
    "ParseSingleSequenceExample": {
        "serialized": SEQUENCES[0],
        "feature_list_dense_missing_assumed_empty": ["d"],
        "context_sparse_keys": ["c"], "context_dense_keys": ["a"],
        "feature_list_sparse_keys": ["s"], "feature_list_dense_keys": ["d"],
        "context_dense_defaults": [np.zeros(2, np.int64)], "debug_name": "p",
        "context_sparse_types": ["float32"],
        "feature_list_dense_types": ["int64"], "context_dense_shapes": [[2]],
        "feature_list_sparse_types": ["float32"],
        "feature_list_dense_shapes": [[]], "main": "Tcontext_dense",
        "dtypes": ["int64"],
    },
    "DecodeProtoV2": {
        "bytes": [_field(1, b"a") + _field(1, b"b"), b""],
        "message_type": "tensorflow.BytesList", "field_names": ["value"],
        "output_types": ["string"],
    },
    "EncodeProto": {
        "sizes": np.array([[2], [1]], np.int32),
        "values": [np.array([["a", "b"], ["c", "d"]], object)],
        "message_type": "tensorflow.BytesList", "field_names": ["value"],
        "main": "Tinput_types", "dtypes": ["string"],
    },
    "RegexFullMatch": {"input": ["ab", "b"], "pattern": "a.*"},
    "StaticRegexFullMatch": {"input": ["ab", "b"], "pattern": "a.*"},
    "RegexReplace": {"input": ["aba", "b"], "pattern": "a", "rewrite": "x"},
    "StaticRegexReplace": {
        "input": ["aba", "b"], "pattern": "(a)", "rewrite": r"\1\1",
    },
    "StringToHashBucket": {"string_tensor": ["a", "bc"], "num_buckets": 1000},
    "StringToHashBucketFast": {
        "input": ["a", "x" * 70, ""], "num_buckets": 1 << 40,
    },
    "StringToHashBucketStrong": {
        "input": ["a", "x" * 70, ""], "num_buckets": 1 << 40, "key": [5, -7],
    },
    "Fingerprint": {
        "data": F(2, 3), "method": "farmhash64",
    },
    "StringSplit": {"input": ["a,b;c", ""], "delimiter": ",;"},
    "StringNGrams": {
        "data": ["a", "b", "c", "d"], "data_splits": I64(0, 3, 4),
        "separator": "|", "ngram_widths": [2, 3], "left_pad": "L",
        "right_pad": "R", "pad_width": -1, "preserve_short_sequences": False,
    },
    "UnsortedSegmentJoin": {
        "inputs": ["a", "b", "c"], "segment_ids": [1, 0, 1], "num_segments": 3,
        "separator": ":",
    },
    "EditDistance": {
        "hypothesis_indices": PLACES, "hypothesis_values": F(3),
        "hypothesis_shape": I64(2, 2), "truth_indices": PLACES[:2],
        "truth_values": F(2), "truth_shape": I64(2, 2),
    },
    "UnicodeDecode": {
        "input": ["a\u00e9", "\U0001f600"], "input_encoding": "UTF-8",
    },
    "UnicodeDecodeWithOffsets": {
        "input": ["a\u00e9", "\U0001f600"], "input_encoding": "UTF-8",
    },
    "UnicodeEncode": {
        "input_values": np.array([97, 233, 0x1F600], I32),
        "input_splits": I64(0, 2, 3), "output_encoding": "UTF-16-BE",
    },
    "UnicodeTranscode": {
        "input": ["a\u00e9", b"\xff"], "input_encoding": "UTF-8",
        "output_encoding": "UTF-32-BE",
    },
    "UnicodeScript": {"input": np.array([65, 0x3B1, 0x4E00, -1], I32)},
    "DecodeRaw": {"bytes": ["\x01\x00" * 8, "\x02\x00" * 8], "out_type": "int16"},
    "DecodePaddedRaw": {
        "input_bytes": ["abcd", "ef"], "fixed_length": 4, "out_type": "int16",
    },
    "EncodeBase64": {"input": ["a", "abc", b"\xff\xfe"], "pad": True},
    "DecodeBase64": {"input": ["YQ==", "YWJj", "__4"]},
    "DecodeJSONExample": {"json_examples": ["{}", '{"features": {"feature": {}}}']},
    "DenseToDenseSetOperation": {
        "set1": np.array([[1, 2, 2], [3, 4, 5]], I32),
        "set2": np.array([[2, 3], [5, 5]], I32), "set_operation": "union",
    },
    "DenseToSparseSetOperation": {
        "set1": np.array([[1, 2], [3, 4]], I32), "set2_indices": PLACES,
        "set2_values": np.array([2, 7, 3], I32), "set2_shape": I64(2, 2),
        "set_operation": "a-b",
    },
    "SparseToSparseSetOperation": {
        "set1_indices": PLACES, "set1_values": np.array([1, 2, 3], I32),
        "set1_shape": I64(2, 2), "set2_indices": PLACES,
        "set2_values": np.array([2, 7, 3], I32), "set2_shape": I64(2, 2),
        "set_operation": "intersection",
    },
    "SetSize": {
        "set_indices": PLACES, "set_values": np.array([2, 2, 3], I32),
        "set_shape": I64(2, 2),
    },
}
VALUE_SHAPED = {
    "DecodeRaw", "StringSplit", "StringNGrams", "UnicodeDecode", "UnicodeDecodeWithOffsets",
    "DenseToDenseSetOperation", "DenseToSparseSetOperation",
    "SparseToSparseSetOperation", "SetSize", "MatchingFiles", "ParseExample", "ParseExampleV2",
    "ParseSingleExample", "ParseSequenceExampleV2", "ParseSequenceExample",
    "ParseSingleSequenceExample", "DecodeProtoV2",
}
NOT_CALLED = dict.fromkeys(
    ("HashTableV2", "AnonymousHashTable", "MutableHashTableV2",
     "AnonymousMutableHashTable", "MutableHashTableOfTensorsV2",
     "AnonymousMutableHashTableOfTensors", "MutableDenseHashTableV2",
     "AnonymousMutableDenseHashTable", "LookupTableFindV2",
     "LookupTableInsertV2", "LookupTableRemoveV2", "LookupTableSizeV2",
     "LookupTableExportV2", "LookupTableImportV2", "InitializeTableV2",
     "InitializeTableFromTextFileV2"),
    "takes or gives a table; tests/oracle/test_lookup.py covers it",
) | dict.fromkeys(
    ("FIFOQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2",
     "RandomShuffleQueueV2", "QueueEnqueueV2", "QueueEnqueueManyV2",
     "QueueDequeueV2", "QueueDequeueManyV2", "QueueDequeueUpToV2",
     "QueueCloseV2", "QueueIsClosedV2", "QueueSizeV2", "MutexV2", "MutexLock",
     "ConsumeMutexLock"),
    "takes or gives a queue or a lock; tests/oracle/test_queue.py covers it",
) | dict.fromkeys(
    ("WholeFileReaderV2", "IdentityReaderV2", "TextLineReaderV2", "TFRecordReaderV2",
     "FixedLengthRecordReaderV2", "ReaderReadV2", "ReaderReadUpToV2",
     "ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2",
     "ReaderSerializeStateV2", "ReaderRestoreStateV2", "ReaderResetV2"),
    "takes or gives a reader; tests/oracle/test_version_one_readers.py covers it",
)
