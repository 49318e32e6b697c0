"""Names that layers of TensorFlow's first version have inside of TensorFlow
(tensorflow.python.layers); `private_layers` answers to them."""

from __future__ import annotations

# By module of tensorflow.python.layers, and of tf_keras' legacy_tf_layers.
_LAYERS = {
    "base": "Layer keras_style_scope set_keras_style",
    "convolutional": """
        Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose Convolution1D
        Convolution2D Convolution2DTranspose Convolution3D Convolution3DTranspose
        SeparableConv1D SeparableConv2D SeparableConvolution2D conv1d conv2d
        conv2d_transpose conv3d conv3d_transpose separable_conv1d separable_conv2d
        """,
    "core": "Dense Dropout Flatten FullyConnected dense dropout flatten",
    "normalization": "BatchNorm BatchNormalization batch_normalization",
    "pooling": """
        AveragePooling1D AveragePooling2D AveragePooling3D AvgPool2D MaxPool2D
        MaxPooling1D MaxPooling2D MaxPooling3D average_pooling1d average_pooling2d
        average_pooling3d max_pooling1d max_pooling2d max_pooling3d
        """,
}
HOMES_OF_LAYERS = {
    "InputSpec": "engine.input_spec",
    **{
        name: f"legacy_tf_layers.{module}"
        for module, names in _LAYERS.items()
        for name in names.split()
    },
}

# As in tensorflow_private_names.
NAMES_OF_LAYERS = {
    "python.keras.engine.input_spec": "InputSpec=@private_layers.*",
    **{
        f"python.layers.{module}": " ".join(
            f"{name}=@private_layers.*" for name in ["InputSpec", *names.split()]
        )
        for module, names in _LAYERS.items()
    },
}
