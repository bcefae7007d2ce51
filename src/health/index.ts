export { HealthModule } from './health.module';
export { measureRequests } from './request-metrics';
