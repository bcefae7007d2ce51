export { ManagementAccess } from './management-access';
export { HealthModule } from './health.module';
export { measureRequests } from './management-access';
