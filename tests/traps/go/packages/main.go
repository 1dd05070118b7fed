package main

import (
	"fmt"
	"strings"

	"example.com/shop/cart"
	m "example.com/shop/money"
)

func main() {
	fmt.Println("x")         //-> external
	strings.Repeat("x", 2)   //-> external
	cart.Total(1)            //-> cart/total.go:Total
	m.Round(2)               //-> money/money.go:Round
	helper()                 //-> helper.go:helper
	c := cart.New()          //-> cart/cart.go:New
	c.Add(1)                 //-> cart/cart.go:Cart.Add
	cart.New().Add(2)        //-> cart/cart.go:New, cart/cart.go:Cart.Add
}
