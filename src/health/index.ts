export { examineAddress } from './address-check';
export { examineCaFiles } from './certificates';
export { HealthModule } from './health.module';
export { ManagementAccess, measureRequests } from './management-access';
