int Run(void);
