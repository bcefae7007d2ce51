export { type Erased, ErasedFlows } from './erased-flows';
export { ErasureRepository } from './erasure-rows';
