package hooks

type Hook interface {
	Fire(level int)
}

type LevelHooks map[int][]Hook

func (hooks LevelHooks) Add(level int, hook Hook) {
	hooks[level] = append(hooks[level], hook) //-> external
}

func (hooks LevelHooks) Fire(level int) {
	for _, hook := range hooks[level] {
		hook.Fire(level) //-> hooks.go:Hook.Fire possible hooks.go:LevelHooks.Fire
	}
}

type Handler func(int)

func (handler Handler) Serve(level int) {}

type Logger struct {
	Hooks LevelHooks
}

func use(logger *Logger, hook Hook) {
	logger.Hooks.Add(1, hook) //-> hooks.go:LevelHooks.Add
	logger.Hooks.Fire(1)      //-> hooks.go:LevelHooks.Fire
	hooks := make(LevelHooks) //-> external
	hooks.Add(2, hook)        //-> hooks.go:LevelHooks.Add
	Handler(nil).Serve(3)     //-> hooks.go:Handler, hooks.go:Handler.Serve
	other := &Logger{Hooks: LevelHooks{}}
	other.Hooks.Fire(4) //-> hooks.go:LevelHooks.Fire
}
