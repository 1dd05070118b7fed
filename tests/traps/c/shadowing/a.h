int parameter_target(void);
