package unknown

import "github.com/outside/log"

type Logger struct{}

func (l *Logger) Info(x string) {}

func Info(x string) {}

func use(l *log.Logger) {
	log.Info("x")      //-> external
	l.Info("x")        //-> external
	log.New().Info("") //-> external, external
}
