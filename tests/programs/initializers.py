"""Programs of initializers."""

from outcomes import failure


def _all(tf, seed):
    i = tf.initializers
    return {
        "glorot_uniform": i.GlorotUniform(seed=seed),
        "glorot_normal": i.GlorotNormal(seed=seed),
        "he_uniform": i.HeUniform(seed=seed),
        "he_normal": i.HeNormal(seed=seed),
        "lecun_uniform": i.LecunUniform(seed=seed),
        "lecun_normal": i.LecunNormal(seed=seed),
        "uniform": i.RandomUniform(seed=seed),
        "wide": i.RandomUniform(-3.0, 5.0, seed=seed),
        "normal": i.RandomNormal(seed=seed),
        "far": i.RandomNormal(mean=2.0, stddev=3.0, seed=seed),
        "truncated": i.TruncatedNormal(seed=seed),
        "scaling": i.VarianceScaling(seed=seed),
        "untruncated": i.VarianceScaling(
            2.0, "fan_out", "untruncated_normal", seed=seed
        ),
        "average": i.VarianceScaling(0.5, "fan_avg", "uniform", seed=seed),
        "of_the_main_names": tf.random_uniform_initializer(-1, 1, seed=seed),
        "normal_there": tf.random_normal_initializer(seed=seed),
    }


def program_numbers(tf):
    return {
        name: [make((2, 3)), make([2, 3]), make((5,)), make((3, 3, 2, 4))[0, 0]]
        for name, make in _all(tf, 1).items()
    }


def program_other_seeds(tf):
    return [
        {name: make((2, 2)) for name, make in _all(tf, seed).items()}
        for seed in (0, 2, 12345, 2**31 - 1, 2**31 + 5)
    ]


def program_other_dtypes(tf):
    return [
        {
            name: make((2, 3), dtype=dtype)
            for name, make in _all(tf, 3).items()
        }
        for dtype in (tf.float64, tf.float16, "float32")
    ]


def program_in_functions_and_variables(tf):
    make = tf.initializers.GlorotUniform(seed=1)
    v = tf.Variable(make(shape=(2, 2), dtype=tf.float32))
    f = tf.function(lambda: make((2, 2)))
    tf.random.set_seed(3)
    other = tf.initializers.GlorotUniform()
    a, b = other((2, 2)), other((2, 2))
    return [
        v, f(), f(), bool(tf.reduce_all(a == b)),
        bool(tf.reduce_any(a != tf.initializers.GlorotUniform()((2, 2)))),
        tf.initializers.Zeros()((2,)), tf.initializers.Ones()((2,)),
        tf.initializers.Constant(3)((2,), dtype=tf.float32),
        failure(lambda: tf.initializers.VarianceScaling(scale=-1.0))[0],
        failure(lambda: tf.initializers.VarianceScaling(mode="x"))[0],
    ]


def program_of_version_1(tf):
    v1 = tf.compat.v1
    tf.random.set_seed(1)
    return [
        make([2, 2]) for make in (
            v1.glorot_uniform_initializer(seed=1),
            v1.glorot_normal_initializer(seed=1),
            v1.variance_scaling_initializer(seed=1),
            v1.truncated_normal_initializer(seed=1),
            v1.truncated_normal_initializer(stddev=0.1, seed=1),
        ) for _ in range(2)
    ]


def program_configurations(tf):
    made = tf.initializers
    return [
        made.GlorotUniform(seed=1).get_config(),
        made.HeNormal(seed=2).get_config(),
        made.RandomUniform(-1.0, 1.0, seed=3).get_config(),
        made.GlorotUniform.from_config({"seed": 1})([2]),
    ]
