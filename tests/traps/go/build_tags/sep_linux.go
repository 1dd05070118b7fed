package tags

func sep() string { return "/" }
