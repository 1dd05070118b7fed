#ifdef __cplusplus
extern "C" {
#endif
int api_open(int x);
#ifdef __cplusplus
}
#endif
