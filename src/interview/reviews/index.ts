export { coverageOf } from './coverage';
export { ReviewPortsModule } from './review-ports.module';
export { ReviewReplay } from './review-replay';
