export default class Shop {
  open(): void {}
}
