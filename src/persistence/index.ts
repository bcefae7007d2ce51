export {
  checkServer,
  inspectServer,
  type ServerInspection,
  withBootConnection,
} from './server-check';
export { ControlConnection } from './control-connection';
export { createDataSource } from './data-source';
export { type Connections, DatabaseModule, openConnections } from './database.module';
export {
  OldSchemaError,
  type SchemaState,
  inspectSchema,
  migrate,
  readSchemaState,
  refuseOldSchema,
} from './migrate';
export { SignalCache } from './signal-cache';
export { SignalConnection, type SignalListener, signalWithCommit } from './signal-connection';
export { dumpSchema } from './schema-dump';

declare module '../common/uow' {
  interface LabelAreas {
    persistence: 'schema';
  }
}
