"""Ops that are not called by the tables: what they take or give is no tensor of
numbers; see case_table.py."""

from __future__ import annotations

_COVERED = {
    ("makes or takes a staging area, and may wait for ever", "python/test_staging"): """
        MapClear MapIncompleteSize MapPeek MapSize MapStage MapUnstage
        MapUnstageNoKey OrderedMapClear OrderedMapIncompleteSize OrderedMapPeek
        OrderedMapSize OrderedMapStage OrderedMapUnstage OrderedMapUnstageNoKey
        Stage StageClear StagePeek StageSize Unstage
        """,
    ("keeps a tensor in a session", "oracle/test_version_one_steps"): """
        DeleteSessionTensor GetSessionHandle GetSessionTensor
        """,
    ("makes or takes an accumulator", "python/test_staging"): """
        AccumulatorApplyGradient AccumulatorNumAccumulated AccumulatorSetGlobalStep
        AccumulatorTakeGradient ConditionalAccumulator
        ResourceAccumulatorApplyGradient ResourceAccumulatorNumAccumulated
        ResourceAccumulatorSetGlobalStep ResourceAccumulatorTakeGradient
        ResourceConditionalAccumulator SparseAccumulatorApplyGradient
        SparseAccumulatorTakeGradient SparseConditionalAccumulator
        """,
    ("gives or takes numbers of sparse tensors", "python/test_staging"): """
        AddManySparseToTensorsMap AddSparseToTensorsMap TakeManySparseFromTensorsMap
        """,
    ("writes summaries to files", "oracle/test_summaries"): """
        CloseSummaryWriter CreateSummaryDbWriter CreateSummaryFileWriter
        FlushSummaryWriter ImportEvent SummaryWriter WriteAudioSummary
        WriteGraphSummary WriteHistogramSummary WriteImageSummary
        WriteRawProtoSummary WriteScalarSummary WriteSummary
        """,
    ("makes serialized summaries", "oracle/test_summaries"): """
        AudioSummaryV2 HistogramSummary ImageSummary MergeSummary ScalarSummary
        TensorSummary TensorSummaryV2
        """,
    ("reads or writes files", "oracle/test_checkpoints"): """
        GenerateVocabRemapping LoadAndRemapMatrix
        MergeV2Checkpoints Restore RestoreSlice RestoreV2 Save SaveSlices SaveV2
        """,
}
NOT_CALLED = {
    op: f"{why}; tests/{test}.py covers it"
    for (why, test), ops in _COVERED.items()
    for op in ops.split()
}
