export { Deliveries } from './deliveries';
export { DeliveryModule } from './delivery.module';
