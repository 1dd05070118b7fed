int zip_open(int x);
