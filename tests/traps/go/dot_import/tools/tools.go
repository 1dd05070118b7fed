package tools

func Helper() {}

func another() {}
