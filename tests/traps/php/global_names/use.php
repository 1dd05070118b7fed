<?php

namespace App;

class InvalidArgumentException extends \Exception {}

function fail() {
    throw new \InvalidArgumentException("x"); //-> external
}

class Box {
    public function own() {
        return new InvalidArgumentException("y"); //-> use.php:InvalidArgumentException
    }

    public function count() {
        return \count([]) + strlen("z"); //-> external, external
    }
}
