const make = () => 1;
export default make;
