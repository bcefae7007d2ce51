export { isStorable, storable } from './storable';
