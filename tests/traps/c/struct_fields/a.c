struct list {
  int length;
};
int length(struct list *list) { return list->length; }
int use(struct list *list) {
  return length(list); //-> a.c:length
}
