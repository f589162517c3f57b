# SPDX-License-Identifier: Apache-2.0
# The list of proofs and mutants that prove.sh runs, block by block.
for depth in 1 2 3 4; do
  prove fifo fifo "Depth=$depth" 10 2
done
mutant fifo fifo "Depth=3" 10 fifo "s/assign push_ready_o = .*/assign push_ready_o = 1'b1;/"
mutant fifo fifo "Depth=3" 10 fifo "s/(head_q == PtrBits'(Depth - 1)) ? '0/(head_q == PtrBits'(Depth - 2)) ? '0/"

for capacity in 1 2 3 7 8; do
  prove token_queue "token_queue issue" "Capacity=$capacity" 20 2
done
mutant token_queue "token_queue issue" "Capacity=3" 10 token_queue "s/assign place_o .*/assign place_o = 1'b1;/"
mutant token_queue "token_queue issue" "Capacity=3" 10 token_queue "s/if (pop_i & ~take_i)/if (push_i \& ~take_i)/"
mutant token_queue "token_queue issue" "Capacity=3" 10 issue "s/(pushes_i & ~places_i) == '0/1'b1/"

for shape in "PortBits=64 BurstBeats=16 LeftBits=16" "PortBits=8 BurstBeats=256 LeftBits=32" \
             "PortBits=128 BurstBeats=256 LeftBits=28" "PortBits=512 BurstBeats=7 LeftBits=26"; do
  prove burst_length burst_length "$shape" 2 1
done
mutant burst_length burst_length "" 2 burst_length "s/assign to_page .*/assign to_page = '1;/"

for shape in "Requesters=3 Outstanding=2 Waiter=0" "Requesters=3 Outstanding=3 Waiter=2" \
             "Requesters=2 Outstanding=4 Waiter=1" "Requesters=4 Outstanding=1 Waiter=1"; do
  prove read_port "read_port fifo" "$shape" 14 1
done
mutant read_port "read_port fifo" "Outstanding=4 Waiter=2" 8 read_port "s/if (i > 32'(last_q)) later/if (i > 32) later/"
mutant read_port "read_port fifo" "" 14 read_port "s/assign blocked .*/assign blocked = 1'b0;/"
mutant read_port "read_port fifo" "" 14 read_port "s/^  assign arrive .*/  assign arrive = r_valid_i;/"

for shape in "PortBits=64 BurstBeats=16" "PortBits=16 BurstBeats=256" "PortBits=128 BurstBeats=5"; do
  prove burst_splitter "burst_splitter burst_length" "$shape" 9 1
done
mutant burst_splitter "burst_splitter burst_length" "" 9 burst_splitter "s/assign row_near .*/assign row_near = 1'b0;/"
mutant burst_splitter "burst_splitter burst_length" "" 9 burst_splitter "s/? more_beats : beats;/? beats : beats;/"
mutant burst_splitter "burst_splitter burst_length" "" 9 burst_splitter "s/= beat_q + LeftBits'(len_q)/= beat_q + 1'b1/"

for shape in "Units=2 Banks=3 Waiter=0" "Units=3 Banks=2 Waiter=0" "Units=3 Banks=2 Waiter=1" "Units=3 Banks=2 Waiter=2"; do
  prove lock_manager lock_manager "$shape" 9 1
done
mutant lock_manager lock_manager "" 5 lock_manager "s/if (could_i\[v\] & granted_o\[v\]/if (1'b0/"
mutant lock_manager lock_manager "" 5 lock_manager "s/if (v != u) others_d/if (v > u) others_d/"

for units in 1 2 3; do
  prove completion completion "Units=$units" 8 1
done
mutant completion completion "" 6 completion "s/left_d = left_d - 32'(retire_i\[u\])/left_d = left_q - 32'(retire_i[u])/"
mutant completion completion "Units=2" 8 completion "s/assign done_o = .*/assign done_o = running_q \& (left_q[SmallBits-1:0] == '0);/"

for shape in "Stages=0" "Stages=1 HasReset=1" "Stages=3" "Stages=4 HasReset=1"; do
  prove delay delay "$shape" 8 6
done
mutant delay delay "Stages=3" 8 delay "s/line_q\[Bits-1 -: Width\]/line_q[Width-1:0]/"

for shape in "" "Requesters=1 Outstanding=1" "Requesters=3 PortBits=128 BurstBeats=256"; do
  prove read_port_axi "read_port fifo" "$shape" 8 1
done
mutant read_port_axi "read_port fifo" "" 6 read_port "s/^    ar_valid_d = .*/    ar_valid_d = 1'b0;/"
mutant read_port_axi "read_port fifo" "" 6 read_port "s/^    ar_len_d   = .*/    ar_len_d   = 8'd0;/"

for shape in "" "Outstanding=1" "Outstanding=4 BeatBytes=16 BurstBeats=256"; do
  prove write_port_axi "write_port fifo" "$shape" 14 1
done
mutant write_port_axi "write_port fifo" "" 6 write_port "s/assign aw_valid_d .*/assign aw_valid_d = accept;/"
mutant write_port_axi "write_port fifo" "" 8 write_port "s/^    if (accept) begin/    if (req_valid_i) begin/"
mutant write_port_axi "write_port fifo" "" 8 write_port "s/assign blocked .*/assign blocked = 1'b0;/"

for shape in "PieceBytes=7 PortBits=16" "PieceBytes=6 PortBits=32"; do
  prove piece_turn piece_turn "$shape" 14 13
done
mutant piece_turn piece_turn "PieceBytes=4 PortBits=16" 14 piece_turn "s/chosen\[j\*8 +: 8\] = before_that_q/chosen[j*8 +: 8] = before_q/"
mutant piece_turn piece_turn "PieceBytes=4 PortBits=16" 14 piece_turn "s/assign odd1 .*/assign odd1 = {BeatBytes{turn1[BeatShift]}};/"

for shape in "Units=2 Queues=2" "Units=3 Queues=1"; do
  prove ledger ledger "$shape" 12 6
done
mutant ledger ledger "" 10 ledger "s/if (column_q == counted_column_q) .*/;/"
mutant ledger ledger "" 10 ledger "s/counted_d = start_q ? '0 : counted_q;/counted_d = counted_q;/"
