package main

// recipe: seal
