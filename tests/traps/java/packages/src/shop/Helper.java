package shop;

class Helper {
    static void help() {}
}
