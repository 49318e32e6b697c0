#include "command_line/command_line.h"

int main(int argc, char** argv) { return graphkiln_command_line(argc, argv); }
