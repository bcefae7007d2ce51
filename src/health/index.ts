export { examineAddress } from './address-check';
export { examineCaFiles } from './certificates';
export { HealthModule } from './health.module';

declare module '../common/uow' {
  interface LabelAreas {
    health: 'health' | 'model';
  }
}
