import { Injectable } from '@nestjs/common';
import { newId } from '../common/ids';

/** The name of this process in `job.worker`; a new one at every start. */
@Injectable()
export class ReplicaId {
  readonly value = newId();
}
