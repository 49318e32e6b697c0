# Install rules: library, headers, CMake package.
