export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { migrate } from './migrate';
