import { Injectable } from '@nestjs/common';
import { newId } from '../common/ids';

/** The name of this process in `task.worker`; another after every start. */
@Injectable()
export class ReplicaId {
  readonly value = newId();
}
