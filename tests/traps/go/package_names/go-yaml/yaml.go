package yaml

func Load() {}
