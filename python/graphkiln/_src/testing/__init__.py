"""What programs test themselves with: tf.test."""
