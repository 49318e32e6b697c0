"""Einsum: the op, its gradient, and how tf.einsum orders products."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphkiln as tf

# (equation, shapes), all of which NumPy can do.
PRODUCTS = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk->ki", [(2, 3), (3, 4)]),
    ("ij,kj->ik", [(2, 3), (4, 3)]),
    ("ji,jk->ik", [(3, 2), (3, 4)]),
    ("ji,kj->ki", [(3, 2), (4, 3)]),
    ("bij,bjk->bik", [(5, 2, 3), (5, 3, 4)]),
    ("bhqd,bkhd->bhqk", [(2, 3, 4, 5), (2, 6, 3, 5)]),
    ("bhqk,bkhd->bqhd", [(2, 3, 4, 6), (2, 6, 3, 5)]),
    ("aecd,abcd->acbe", [(2, 6, 3, 5), (2, 4, 3, 5)]),
    ("acbe,aecd->abcd", [(2, 3, 4, 6), (2, 6, 3, 5)]),
    ("acbe,abcd->aecd", [(2, 3, 4, 6), (2, 4, 3, 5)]),
    ("xyij,yxjk->yxik", [(2, 3, 4, 5), (3, 2, 5, 6)]),
    ("xij,yxkj->xyki", [(5, 2, 3), (4, 5, 6, 3)]),
    ("xijy,xjky->ykxi", [(5, 2, 3, 2), (5, 3, 4, 2)]),
    ("bhqd,bkhd->bhqk", [(2, 40, 70, 33), (2, 65, 40, 33)]),
    ("iijx,xjk->xki", [(3, 3, 2, 5), (5, 2, 4)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,j->ji", [(3,), (4,)]),
    ("i,i->", [(3,), (3,)]),
    ("i,i->i", [(3,), (3,)]),
    (",ij->ij", [(), (2, 3)]),
    ("ij->ji", [(2, 3)]),
    ("ijk->kij", [(2, 3, 4)]),
    ("ij->", [(2, 3)]),
    ("ij->j", [(2, 3)]),
    ("ij->i", [(2, 3)]),
    ("ijk->ki", [(2, 3, 4)]),
    ("ii->i", [(3, 3)]),
    ("ii->", [(3, 3)]),
    ("iji->j", [(3, 2, 3)]),
    ("iij,jk->ik", [(3, 3, 2), (2, 4)]),
    ("iij,jkk->ki", [(3, 3, 2), (2, 4, 4)]),
    ("aij,bj->ib", [(5, 2, 3), (4, 3)]),
    ("...ij,...jk->...ik", [(5, 2, 3), (5, 3, 4)]),
    ("...ij,...jk->...ik", [(7, 1, 2, 3), (5, 3, 4)]),
    ("...ij,...jk->...ik", [(5, 2, 3), (7, 1, 3, 4)]),
    ("...ij,...jk->...ki", [(2, 3), (7, 5, 3, 4)]),
    ("i...,j...->ij...", [(2, 5), (3, 5)]),
    ("i...->...i", [(2, 3, 4)]),
    ("...i->...", [(2, 3, 4)]),
    ("...ii->...i", [(2, 3, 3)]),
    ("ij,...j->...i", [(2, 3), (4, 3)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ba", [(2, 3)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
    ("ij,jk,kl,lm->im", [(2, 9), (9, 3), (3, 8), (8, 2)]),
    ("ij,kl,mn->ikm", [(2, 3), (4, 5), (2, 2)]),
    ("...a,...ab,...b->...", [(4, 2), (4, 2, 3), (3,)]),
    ("i,i,i->i", [(3,), (3,), (3,)]),
    ("bi,oij,bj->bo", [(4, 2), (5, 2, 3), (4, 3)]),
]


def arrays(shapes: list, dtype: str = "float64") -> list:
    random = np.random.RandomState(7)
    made = [random.uniform(-2, 2, shape) for shape in shapes]
    if dtype.startswith("complex"):
        made = [x + 1j * random.uniform(-2, 2, x.shape) for x in made]
    if dtype.startswith("int"):
        made = [np.round(x * 3) for x in made]
    return [x.astype(dtype) for x in made]


@pytest.mark.parametrize(("equation", "shapes"), PRODUCTS)
@pytest.mark.parametrize("dtype", ["float64", "complex128", "int32"])
def test_values(equation: str, shapes: list, dtype: str):
    operands = arrays(shapes, dtype)
    expected = np.einsum(equation, *operands)
    found = tf.einsum(equation, *operands)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-12)
    for shapes_known in (True, False):
        spec = [
            tf.TensorSpec(x.shape if shapes_known else None, x.dtype)
            for x in operands
        ]
        f = tf.function(
            lambda *xs: tf.einsum(equation, *xs), input_signature=spec
        )
        out = f(*operands)
        np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
        static = f.get_concrete_function().outputs[0].shape
        assert static.is_compatible_with(expected.shape)
        assert static == expected.shape or not shapes_known


@pytest.mark.parametrize(("equation", "shapes"), PRODUCTS)
def test_gradients(equation: str, shapes: list):
    operands = [tf.constant(x) for x in arrays(shapes)]

    def total(*xs):
        y = tf.einsum(equation, *xs)
        return tf.reduce_sum(y * tf.cos(y))

    def gradients(*xs):
        with tf.GradientTape() as tape:
            tape.watch(xs)
            y = total(*xs)
        return tape.gradient(y, xs)

    found = gradients(*operands)
    random = np.random.default_rng(5)
    for i, x in enumerate(operands):
        # Of large operands a few elements.
        places = list(np.ndindex(*x.shape))
        if len(places) > 1000:
            places = [places[j] for j in random.integers(len(places), size=6)]
        for at in places:
            step = np.zeros(x.shape)
            step[at] = 1e-6
            ends = [
                total(*operands[:i], x + sign * step, *operands[i + 1 :])
                for sign in (1, -1)
            ]
            wanted = (ends[0] - ends[1]) / 2e-6
            np.testing.assert_allclose(
                found[i][at], wanted, rtol=1e-5, atol=1e-5
            )
    spec = [tf.TensorSpec(None, x.dtype) for x in operands]
    traced = tf.function(gradients, input_signature=spec)
    for a, b in zip(traced(*operands), found):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int64"])
def test_dtypes(dtype: str):
    x = tf.cast(tf.reshape(tf.range(6), [2, 3]), dtype)
    y = tf.einsum("ij,kj->ik", x, x)
    assert y.dtype == dtype
    assert tf.cast(y, tf.int32).numpy().tolist() == [[5, 14], [14, 50]]


def test_a_label_twice_in_the_output_of_the_op():
    op = tf.raw_ops.Einsum
    x = tf.constant([1.0, 2.0])
    assert op(inputs=[x], equation="i->ii").numpy().tolist() == [[1, 0], [0, 2]]


BAD = {
    "ij->ji->": "exactly one '->'",
    "ij": "exactly one '->'",
    "ijk->ik": "Expected input 0 to have rank 3 but got: 2",
    "i...jk->ik": "Expected input 0 to have rank at least 3 but got: 2",
    "ij,jk->ik": "Expected 2 inputs but got: 1",
    "ii->i": "Expected dimension 2 at axis 1 of the input shaped",
    "i...->i": "Output contains 1 broadcasting dimension",
    "i.j->ij": "incorrect format",
    "...i...->i": "incorrect format",
    "ij->iz": "label z not present",
}


@pytest.mark.parametrize("equation", BAD)
def test_bad_equations_of_the_op(equation: str):
    x = tf.ones([2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match=BAD[equation]):
        tf.raw_ops.Einsum(inputs=[x], equation=equation)


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        ("ij,jk->ik", "Got 1 inputs for equation"),
        ("ij->iz", "label z not present"),
        ("ij->ii", "more than once"),
        ("i1->i", "incorrect format"),
        ("i..j->ij", "incorrect format"),
        ("ij->ji->i", "incorrect format"),
    ],
)
def test_bad_equations(equation: str, text: str):
    with pytest.raises(ValueError, match=text):
        tf.einsum(equation, tf.ones([2, 3]))


def test_other_keywords_are_refused():
    with pytest.raises(TypeError, match="Invalid keyword arguments"):
        tf.einsum("ij->ji", tf.ones([2, 3]), other=1)
    with pytest.raises(TypeError, match="arguments for einsum: inputs, other. Valid"):
        tf.einsum("ij->ji", inputs=[tf.ones([2, 3])], other=1)
    with pytest.raises(TypeError, match="'args' is an invalid keyword argument"):
        tf.meshgrid(args=[[1, 2]])
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        tf.einsum()
    with pytest.raises(ValueError, match="Got 0 inputs"):
        tf.einsum("i->i")


def test_operands_are_positional_arguments():
    assert str(inspect.signature(tf.einsum)) == "(equation, *inputs, **kwargs)"
    assert str(inspect.signature(tf.meshgrid)) == "(*args, **kwargs)"
    a, b = tf.constant([[1, 2]]), [[3], [4]]
    for name in None, "product":
        made = tf.einsum("ij,jk->ik", a, b, name=name, optimize="optimal")
        assert made.numpy().tolist() == [[11]]
    x, y = tf.meshgrid([1, 2], tf.constant([3, 4]), indexing="ij")
    assert x.numpy().tolist() == [[1, 1], [2, 2]]
    assert y.numpy().tolist() == [[3, 4], [3, 4]]
    assert tf.meshgrid() == []


def products_of(equation: str, shapes: list, **options) -> list:
    """The equations of the nodes that a call makes."""
    spec = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    f = tf.function(
        lambda *xs: tf.einsum(equation, *xs, **options), input_signature=spec
    )
    graph = f.get_concrete_function().graph
    return [
        op.get_attr("equation").decode()
        for op in graph.get_operations()
        if op.type == "Einsum"
    ]


def test_order_of_products():
    # As opt_einsum orders them.
    chain = "ij,jk,kl->il"
    assert products_of(chain, [(2, 3), (3, 4), (4, 2)]) == [
        "kl,jk->lj", "lj,ij->il",
    ]
    assert products_of(chain, [(20, 30), (30, 4), (4, 2)]) == [
        "jk,ij->ki", "ki,kl->il",
    ]
    # The smallest intermediate tensor first is not always the fewest
    # multiplications.
    long, shapes = "ab,bc,cd,de->ae", [(10, 2), (2, 30), (30, 3), (3, 40)]
    assert products_of(long, shapes, optimize="optimal")[0] == "cd,bc->bd"
    for optimize in ("greedy", "optimal", "branch-2", "auto", "dp"):
        assert len(products_of(long, shapes, optimize=optimize)) == 3
    with pytest.raises(ValueError, match="optimize"):
        products_of(chain, [(2, 3), (3, 4), (4, 2)], optimize="best")
