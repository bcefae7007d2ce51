export { type Erased, ErasedFlows } from './erased-flows';
export { ErasureRows } from './erasure-rows';
