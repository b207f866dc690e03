export { Client } from "./api.js";
export { SatchelError } from "./core.js";
