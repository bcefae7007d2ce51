import { Module } from '@nestjs/common';
import { Deliveries } from './deliveries';

/** Expects a global Clock. */
@Module({ providers: [Deliveries], exports: [Deliveries] })
export class DeliveryModule {}
