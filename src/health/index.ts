export { HealthModule } from './health.module';
export { ManagementAccess, measureRequests } from './management-access';
