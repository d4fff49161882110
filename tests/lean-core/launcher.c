/*
 * The `lean` program of the portable toolchain. All of Lean is in libleanshared.so; this file is only
 * the door. The library finds its own sysroot from where this executable lies.
 */
extern int lean_main(int argc, char **argv);

int main(int argc, char **argv) { return lean_main(argc, argv); }
