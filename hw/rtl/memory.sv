// SPDX-License-Identifier: Apache-2.0
// An on-chip memory: banks of one read and one write port each, behind as many ports as units use it. Who may use
// which bank is settled before (lock_manager.sv, tokens); two ports never use one bank in one cycle. With Copies every
// bank stands there as often, all written at once, so that readers of different copies may use it in one cycle.
//
// An address read in cycle t gives its data at t + 3 (block RAM, its output register, a register behind the choice
// of the bank), or at t + 2 with BankRegister = 0, which wants a single bank. Where there is no choice, of banks or of
// readers, it is the address that waits for a cycle, in fewer registers than the data.
`ifndef MUTANT  // a fault that tests plant: tests/hw/mutants.sv
`define MUTANT(name) 1'b0
`endif

module memory #(
  parameter  int unsigned Width        = 8,
  parameter  int unsigned Depth        = 16,
  parameter  int unsigned Banks        = 1,
  parameter  int unsigned Readers      = 1,
  parameter  int unsigned Writers      = 1,
  parameter  int unsigned SliceBits    = Width, // of the parts of an element that are written on their own: ram.sv
  parameter  bit          BankRegister = 1'b1,
  parameter  int unsigned Copies       = 1,
  parameter  logic [Readers*32-1:0] ReaderCopy = '0,   // the copy that each reads
  localparam int unsigned AddrBits     = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned Slices       = (Width + SliceBits - 1) / SliceBits,
  localparam int unsigned BankDepth    = Depth / Banks,
  localparam int unsigned BankAddrBits = (BankDepth > 1) ? $clog2(BankDepth) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,     // for the assertions only
  input  logic [Readers-1:0]          re_i,
  input  logic [Readers*AddrBits-1:0] raddr_i,
  output logic [Readers*Width-1:0]    rdata_o,
  input  logic [Writers-1:0]          we_i,
  input  logic [Writers*Slices-1:0]   wslices_i,
  input  logic [Writers*AddrBits-1:0] waddr_i,
  input  logic [Writers*Width-1:0]    wdata_i
);

  localparam bit AddressWaits = BankRegister && Banks == 1 && Readers == Copies;

  logic [Copies*Banks*Width-1:0] bank_data;
  logic [Readers*Banks-1:0]      read_bank;   // reader r uses bank b
  logic [Writers*Banks-1:0]      write_bank;
  logic [Readers-1:0]            re;
  logic [Readers*AddrBits-1:0]   raddr;

  if (AddressWaits) begin : gen_address_waits
    logic [Readers-1:0]          re_q;
    logic [Readers*AddrBits-1:0] raddr_q;
    always_ff @(posedge clk_i) begin
      re_q    <= re_i;
      raddr_q <= raddr_i;
    end
    assign re    = re_q;
    assign raddr = raddr_q;
  end else begin : gen_address
    assign re    = re_i;
    assign raddr = raddr_i;
  end

  function automatic int unsigned first_reader(int unsigned copy);
    first_reader = 0;
    for (int r = Readers - 1; r >= 0; r--) begin
      if (ReaderCopy[r*32 +: 32] == copy) first_reader = r;
    end
  endfunction

  // The bank of an address, one bit each.
  function automatic logic [Banks-1:0] banks_of(logic [AddrBits-1:0] addr);
    if (BankDepth == 1 << $clog2(BankDepth)) begin
      banks_of = Banks'(1) << (addr >> $clog2(BankDepth));
    end else begin
      for (int unsigned b = 0; b < Banks; b++) banks_of[b] = 32'(addr) - b * BankDepth < BankDepth;
    end
  endfunction

  for (genvar r = 0; r < Readers; r++) begin : gen_reads
    assign read_bank[r*Banks +: Banks] = {Banks{re[r]}} & banks_of(raddr[r*AddrBits +: AddrBits]);
  end
  for (genvar w = 0; w < Writers; w++) begin : gen_writes
    assign write_bank[w*Banks +: Banks] = {Banks{we_i[w]}} & banks_of(waddr_i[w*AddrBits +: AddrBits]);
  end

  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    localparam int unsigned First = b * BankDepth;

    logic [Slices-1:0]       we;
    logic [BankAddrBits-1:0] waddr;
    logic [Width-1:0]        wdata;

    always_comb begin
      we    = '0;
      waddr = BankAddrBits'(32'(waddr_i[AddrBits-1:0]) - First);
      wdata = wdata_i[Width-1:0];
      for (int w = 0; w < Writers; w++) begin
        if (write_bank[w*Banks+b]) begin
          we    = wslices_i[w*Slices +: Slices];
          waddr = BankAddrBits'(32'(waddr_i[w*AddrBits +: AddrBits]) - First);
          wdata = wdata_i[w*Width +: Width];
        end
      end
    end

    for (genvar c = 0; c < Copies; c++) begin : gen_copy
      localparam int unsigned Own = first_reader(c);

      logic                    copy_re;
      logic [BankAddrBits-1:0] copy_raddr;

      always_comb begin
        copy_re    = 1'b0;
        copy_raddr = BankAddrBits'(32'(raddr[Own*AddrBits +: AddrBits]) - First);
        for (int r = 0; r < Readers; r++) begin
          if (ReaderCopy[r*32 +: 32] == c && read_bank[r*Banks+b]) begin
            copy_re    = 1'b1;
            copy_raddr = BankAddrBits'(32'(raddr[r*AddrBits +: AddrBits]) - First);
          end
        end
      end

      ram #(.Width(Width), .Depth(BankDepth), .SliceBits(SliceBits)) i_ram (
        .clk_i,
        .re_i   (copy_re),
        .raddr_i(copy_raddr),
        .rdata_o(bank_data[(c*Banks+b)*Width +: Width]),
        .we_i   (we),
        .waddr_i(waddr),
        .wdata_i(wdata)
      );
    end
  end

  if (AddressWaits) begin : gen_no_choice
    for (genvar r = 0; r < Readers; r++) begin : gen_reader
      localparam int unsigned Copy = ReaderCopy[r*32 +: 32];
      assign rdata_o[r*Width +: Width] = bank_data[Copy*Width +: Width];
    end
  end else if (BankRegister) begin : gen_bank_register
    for (genvar r = 0; r < Readers; r++) begin : gen_reader
      localparam int unsigned Copy = ReaderCopy[r*32 +: 32];

      logic [Banks-1:0] bank1_q, bank2_q;
      logic [Width-1:0] data_d, data_q;
      always_comb begin
        data_d = bank_data[Copy*Banks*Width +: Width];
        for (int b = 1; b < Banks; b++) begin
          if (bank2_q[b] & ~`MUTANT(BankZero)) data_d = bank_data[(Copy*Banks+b)*Width +: Width];
        end
      end
      always_ff @(posedge clk_i) begin
        bank1_q <= read_bank[r*Banks +: Banks];
        bank2_q <= bank1_q;
        if (bank2_q != '0) data_q <= data_d;
      end
      assign rdata_o[r*Width +: Width] = data_q;
    end
  end else begin : gen_plain
    assign rdata_o = {Readers{bank_data[Width-1:0]}};
  end

`ifndef YOSYS
  for (genvar b = 0; b < Banks; b++) begin : gen_assert
    logic [Writers-1:0] writers;
    for (genvar w = 0; w < Writers; w++) begin : gen_writer
      assign writers[w] = write_bank[w*Banks+b];
    end
    for (genvar c = 0; c < Copies; c++) begin : gen_copy
      logic [Readers-1:0] readers;
      for (genvar r = 0; r < Readers; r++) begin : gen_reader
        assign readers[r] = read_bank[r*Banks+b] & (ReaderCopy[r*32 +: 32] == c);
      end
      a_read: assert property (@(posedge clk_i) disable iff (!rst_ni) (readers & (readers - 1'b1)) == '0)
        else $error("a bank is read by one unit at a time");
    end
    a_write: assert property (@(posedge clk_i) disable iff (!rst_ni) (writers & (writers - 1'b1)) == '0)
      else $error("a bank is written by one unit at a time");
  end
`endif
  logic unused_reset;
  assign unused_reset = rst_ni;

endmodule
