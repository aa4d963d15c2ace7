-- The database of Trino's Iceberg catalogue, with the tables that Trino does not create, and of the warehouse's own state.
create database lake owner risk;
\connect lake
create table iceberg_tables (
  catalog_name varchar(255) not null, table_namespace varchar(255) not null, table_name varchar(255) not null,
  metadata_location varchar(1000), previous_metadata_location varchar(1000), iceberg_type varchar(5),
  primary key (catalog_name, table_namespace, table_name));
create table iceberg_namespace_properties (
  catalog_name varchar(255) not null, namespace varchar(255) not null, property_key varchar(255),
  property_value varchar(1000), primary key (catalog_name, namespace, property_key));
