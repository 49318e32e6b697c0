"""Mistakes that type checkers find: each line that ends with `# wrong`, no other."""

import graphkiln as tf

x = tf.constant([1.0, 2.0])


@tf.function
def add(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """Takes two."""
    return a + b


class Model(tf.Module):
    """Has a traced method."""

    @tf.function
    def step(self, a: tf.Tensor) -> tf.Tensor:
        """Takes one."""
        return a


tf.matmul(x)  # wrong
tf.nn.relu(x, nam="a")  # wrong
tf.random.normal()  # wrong
tf.random.normal([2], sdtdev=1.0)  # wrong
tf.Variable(1.0, trainble=True)  # wrong
tf.Variable(1.0).assign()  # wrong
add(x)  # wrong
add(x, x, x)  # wrong
add(x, c=x)  # wrong
Model().step()  # wrong
Model().step(x, x)  # wrong
tf.data.Dataset.range(3).map()  # wrong
tf.data.Dataset.range(3).bach(2)  # wrong
tf.function(add, retrace=True)  # wrong
with tf.GradientTape(persistant=True) as tape:  # wrong
    y = add(x, x)
tape.gradient(y)  # wrong
text: str = add(x, x)  # wrong
